import { z } from 'zod'
import { define, list, MINUTE, milliseconds, oneOf, originUrl, text, yesNo } from './setting.js'

/** The service, whichever API it speaks. */
export const serviceSettings = {
  serviceUrl: define({
    path: 'service.url',
    parse: originUrl,
    expects: 'the origin of the service, e.g. https://verify.example',
    summary: 'Where the media-verification service is. Plain http is accepted for loopback only.',
  }),
  serviceAllowHttp: define({
    path: 'service.allowHttp',
    ...yesNo,
    fallback: 'false',
    summary:
      'Accept plain http for a service that is not on loopback, such as a sandbox in another container. Never with real credentials.',
  }),
  serviceApi: define({
    path: 'service.api',
    ...oneOf(['signed-key', 'wallet-session']),
    fallback: 'signed-key',
    summary:
      'Which API the service speaks: requests signed with an access key, or sessions opened by a wallet signature.',
  }),
  accessKey: define({
    path: 'service.accessKey',
    parse: text(/^[\x21-\x7e]{4,200}$/, 'printable characters without spaces'),
    expects: 'the attester access key, usually ak_att_…',
    summary: 'Public identifier of the attester key.',
    secret: 'whole',
  }),
  signingSecret: define({
    path: 'service.signingSecret',
    parse: z.string().min(1, 'a text that is not empty'),
    expects: 'the signing secret that was shown when the key was created',
    summary: 'Signs every private request. Better provided as a file.',
    secret: 'whole',
  }),
  headerPrefix: define({
    path: 'service.headerPrefix',
    parse: text(/^[A-Za-z][A-Za-z0-9-]{0,40}$/, 'letters, digits and dashes'),
    fallback: 'Service',
    expects: 'letters, digits and dashes',
    summary: 'Brand of the three signature headers: <prefix>-Access-Key, -Timestamp, -Signature.',
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
    summary:
      'Hosts that the sign-in challenge of a wallet-session service may name beside its own, such as that of the site whose API it is. List only hosts that you trust with a session.',
  }),
  sessionToken: define({
    path: 'service.sessionToken',
    parse: text(/^[\x21-\x7e]{1,8192}$/, 'printable characters without spaces'),
    expects: 'a session token of the dashboard',
    summary:
      'Bearer token of a dashboard session, for keys create, keys revoke and the upload of register on a signed-key service. A wallet session obtains its own.',
    secret: 'whole',
  }),
  storeTimeMs: define({
    path: 'service.storeTimeMs',
    ...milliseconds(0, 10 * MINUTE),
    fallback: '15000',
    summary:
      'How long the service may take to store a score after it accepted the request. Added to the timestamp window before an unanswered submission may be sent again.',
  }),
  onDoppelganger: define({
    path: 'service.onDoppelganger',
    ...oneOf(['warn', 'stop']),
    fallback: 'warn',
    summary:
      'What happens when a score of this attester is found that no daemon on this queue sent: an alarm, or an alarm and no more submissions until a restart.',
  }),
  timestampWindowMs: define({
    path: 'service.timestampWindowMs',
    ...milliseconds(500, 10 * MINUTE),
    fallback: '30000',
    summary:
      'How far the signed time of a request (its timestamp, or the time of its attestation) may be from service time. After an unanswered submission the daemon waits as long, plus the store time, before it may send again.',
  }),
  serviceTimeoutMs: define({
    path: 'service.timeoutMs',
    ...milliseconds(100, 5 * MINUTE),
    fallback: '15000',
    summary: 'Longest wait for the answer to one request.',
  }),
  listEveryMs: define({
    path: 'service.listEveryMs',
    ...milliseconds(200, 60 * MINUTE),
    fallback: '60000',
    summary: 'How often the signed list is read to catch what the stream missed.',
  }),
  streamIdleMs: define({
    path: 'service.streamIdleMs',
    ...milliseconds(200, 60 * MINUTE),
    fallback: '90000',
    summary: 'A stream that sends no byte for this long, or for three of its own heartbeats, is cut and opened again.',
  }),
  clockRefreshMs: define({
    path: 'service.clockRefreshMs',
    ...milliseconds(200, 60 * MINUTE),
    fallback: '300000',
    summary: 'How often service time is measured again.',
  }),
} as const
