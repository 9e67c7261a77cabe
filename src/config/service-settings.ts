import { z } from 'zod'
import {
  accessKeyText,
  define,
  list,
  MINUTE,
  milliseconds,
  oneOf,
  originUrl,
  secretLine,
  text,
  yesNo,
} from './setting.js'

/** The service, whichever API it speaks. */
export const serviceSettings = {
  serviceUrl: define({
    path: 'service.url',
    parse: originUrl,
    expects: 'the origin of the service, e.g. https://verify.example',
    summary: 'Origin of the media-verification service; plain http on loopback only.',
  }),
  serviceAllowHttp: define({
    path: 'service.allowHttp',
    ...yesNo,
    fallback: 'false',
    summary:
      'Accept plain http beyond loopback, for example for a sandbox in another container. Never with real credentials.',
  }),
  serviceApi: define({
    path: 'service.api',
    ...oneOf(['signed-key', 'wallet-session']),
    fallback: 'signed-key',
    summary: 'API of the service: requests signed with an access key, or sessions of a wallet.',
  }),
  accessKey: define({
    path: 'service.accessKey',
    parse: accessKeyText,
    expects: 'the attester access key, usually ak_att_…',
    summary: 'Public identifier of the attester key.',
    secret: 'whole',
  }),
  signingSecret: define({
    path: 'service.signingSecret',
    parse: secretLine,
    expects: 'the signing secret that was shown when the key was created',
    summary: 'Signs every private request.',
    secret: 'whole',
  }),
  headerPrefix: define({
    path: 'service.headerPrefix',
    parse: text(/^[A-Za-z][A-Za-z0-9-]{0,40}$/, 'letters, digits and dashes'),
    fallback: 'Service',
    expects: 'letters, digits and dashes',
    summary: 'Brand of the signature headers: <prefix>-Access-Key, -Timestamp, -Signature.',
  }),
  challengeDomains: define({
    path: 'service.challengeDomains',
    parse: list(
      z
        .string()
        .regex(/^[A-Za-z0-9.-]+(:\d+)?$/, 'hosts, with a port where they have one')
        .transform((host) => host.toLowerCase()),
    ),
    fallback: '',
    expects: 'comma-separated hosts; empty for the host of the service alone',
    summary: 'Further hosts that a sign-in challenge may name. List only hosts that you trust with a session.',
  }),
  sessionToken: define({
    path: 'service.sessionToken',
    parse: text(/^[\x21-\x7e]{1,8192}$/, 'printable characters without spaces'),
    expects: 'a session token of the dashboard',
    summary: 'Dashboard session for keys and for the upload of register on a signed-key service.',
    secret: 'whole',
  }),
  storeTimeMs: define({
    path: 'service.storeTimeMs',
    ...milliseconds(0, 10 * MINUTE),
    fallback: '15000',
    summary: 'Longest time that the service takes to store an accepted score.',
  }),
  onDoppelganger: define({
    path: 'service.onDoppelganger',
    ...oneOf(['warn', 'stop']),
    fallback: 'warn',
    summary:
      'On a score of this attester that this queue never sent: alarm, or alarm and no submissions until a restart.',
  }),
  timestampWindowMs: define({
    path: 'service.timestampWindowMs',
    ...milliseconds(500, 10 * MINUTE),
    fallback: '30000',
    summary:
      'How far the signed time of a request may be from service time. After an unclear end, a resend waits this long plus the store time.',
  }),
  serviceTimeoutMs: define({
    path: 'service.timeoutMs',
    ...milliseconds(100, 5 * MINUTE),
    fallback: '15000',
    summary: 'Longest wait for the answer to a request.',
  }),
  listEveryMs: define({
    path: 'service.listEveryMs',
    ...milliseconds(200, 60 * MINUTE),
    fallback: '60000',
    summary: 'How often the signed list is read, to catch what the stream missed.',
  }),
  streamIdleMs: define({
    path: 'service.streamIdleMs',
    ...milliseconds(200, 60 * MINUTE),
    fallback: '90000',
    summary: 'A stream that is silent for this long, or for three of its own heartbeats, is reopened.',
  }),
  clockRefreshMs: define({
    path: 'service.clockRefreshMs',
    ...milliseconds(200, 60 * MINUTE),
    fallback: '300000',
    summary: 'How often service time is measured.',
  }),
} as const
