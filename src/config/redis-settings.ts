import { z } from 'zod'
import { define, folder } from './setting.js'

export const REDIS_TLS_KEYS = ['queueTlsCa', 'queueTlsCert', 'queueTlsKey'] as const

/** What opens Redis in addition to the URL of the queue. */
export const redisSettings = {
  queuePassword: define({
    path: 'queue.password',
    parse: z.string().min(1, 'a text that is not empty'),
    expects: 'a password; the URL contains its user, redis://USER@HOST',
    summary: 'Password of Redis; overrides one in the URL.',
    secret: 'whole',
  }),
  queueSentinelPassword: define({
    path: 'queue.sentinelPassword',
    parse: z.string().min(1, 'a text that is not empty'),
    expects: 'a password',
    summary: 'Password of the Sentinels, if they have one.',
    secret: 'whole',
  }),
  fleetSecret: define({
    path: 'queue.fleetSecret',
    parse: z.string().min(32, 'at least 32 characters'),
    expects: 'at least 32 random characters (openssl rand -hex 32); the same on every daemon of the fleet',
    summary:
      'Authenticates jobs, verdicts and orders on Redis. Without it, whoever can write to Redis can have scores signed.',
    secret: 'whole',
  }),
  queueTlsCa: define({
    path: 'queue.tlsCa',
    parse: folder,
    expects: 'the path of a PEM file',
    summary: 'Authorities for the certificate of Redis, instead of those of the system.',
  }),
  queueTlsCert: define({
    path: 'queue.tlsCert',
    parse: folder,
    expects: 'the path of a PEM file',
    summary: 'Client certificate, if Redis requires one.',
  }),
  queueTlsKey: define({
    path: 'queue.tlsKey',
    parse: folder,
    expects: 'the path of a PEM file',
    summary: 'Private key of the client certificate.',
  }),
} as const
