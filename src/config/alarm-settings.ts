import { z } from 'zod'
import { isLoopback } from '../core/net/loopback.js'
import { DAY, define, httpUrl, milliseconds, oneOf, size } from './setting.js'

/** What a person is called for, and where. */
export const alarmSettings = {
  diskFreeBytes: define({
    path: 'alarms.diskFreeBytes',
    ...size('256MiB'),
    summary: 'Free disk space below which readiness warns and doctor fails.',
  }),
  webhookUrl: define({
    path: 'alarms.webhookUrl',
    parse: httpUrl.refine(
      (value) => value.startsWith('https:') || (URL.canParse(value) && isLoopback(new URL(value).hostname)),
      'https, or http on this machine',
    ),
    expects: 'an https:// URL, or an http:// one on this machine',
    summary: 'Where critical alarms are sent; set it on one daemon of a fleet.',
    secret: 'whole',
  }),
  webhookSecret: define({
    path: 'alarms.webhookSecret',
    parse: z.string().min(16, 'at least 16 characters'),
    expects: 'at least 16 characters',
    summary: 'Signs each message to the webhook (HMAC-SHA-256).',
    secret: 'whole',
  }),
  webhookTemplate: define({
    path: 'alarms.webhookTemplate',
    ...oneOf(['json', 'slack']),
    fallback: 'json',
    summary: 'Form of the messages: plain JSON, or that of Slack and Mattermost.',
  }),
  webhookEveryMs: define({
    path: 'alarms.webhookEveryMs',
    ...milliseconds(1000, DAY),
    fallback: '600000',
    summary: 'Each alarm is sent at most once in this time.',
  }),
} as const
