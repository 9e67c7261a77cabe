import { z } from 'zod'
import { define, folder } from './setting.js'

/** The settings that name a file of TLS. */
export const REDIS_TLS_KEYS = ['queueTlsCa', 'queueTlsCert', 'queueTlsKey'] as const

/** What opens Redis beside the URL of the queue. */
export const redisSettings = {
  queuePassword: define({
    path: 'queue.password',
    parse: z.string().min(1, 'a text that is not empty'),
    expects: 'a password; its user stands in the URL, redis://USER@HOST',
    summary: 'Password of Redis. Wins over one in the URL.',
    secret: 'whole',
  }),
  queueSentinelPassword: define({
    path: 'queue.sentinelPassword',
    parse: z.string().min(1, 'a text that is not empty'),
    expects: 'a password',
    summary: 'Password of the Sentinels themselves, where they have one.',
    secret: 'whole',
  }),
  fleetSecret: define({
    path: 'queue.fleetSecret',
    parse: z.string().min(32, 'at least 32 characters'),
    expects: 'at least 32 random characters, as of openssl rand -hex 32; the same on every daemon of the fleet',
    summary:
      'What daemons on one Redis prove to each other that a job, verdict or order is theirs with. Without it whoever can write to Redis has scores signed. The embedded queue needs none.',
    secret: 'whole',
  }),
  queueTlsCa: define({
    path: 'queue.tlsCa',
    parse: folder,
    expects: 'the path of a PEM file',
    summary:
      'Certificates of the authorities that may have signed those of Redis, instead of those that the system trusts.',
  }),
  queueTlsCert: define({
    path: 'queue.tlsCert',
    parse: folder,
    expects: 'the path of a PEM file',
    summary: 'Our own certificate, where Redis asks for one (tls-auth-clients, its default).',
  }),
  queueTlsKey: define({
    path: 'queue.tlsKey',
    parse: folder,
    expects: 'the path of a PEM file',
    summary: 'Private key of our own certificate.',
  }),
} as const
