import { z } from 'zod'
import { packagePath } from '../core/files.js'
import { isLoopback } from '../core/net/loopback.js'
import { alarmSettings } from './alarm-settings.js'
import { chainSettings } from './chain-settings.js'
import { choicesText, chosenDetectors } from './detector-choice.js'
import { detectorWorkersFor, thisMachine } from './machine.js'
import { REDIS_TLS_KEYS, redisSettings } from './redis-settings.js'
import { serviceSettings } from './service-settings.js'
import {
  between0And1,
  DAY,
  define,
  folder,
  httpUrl,
  integer,
  list,
  MINUTE,
  milliseconds,
  named,
  oneOf,
  type Setting,
  size,
  text,
  whole,
  yesNo,
} from './setting.js'
import { walletSettings } from './wallet-settings.js'

const ROLES = ['intake', 'analyze', 'submit'] as const

/**
 * Every setting of attestd, in the order of the settings page. Types, validation, flags, the settings page,
 * the example file and the masked status all come from this table.
 */
export const SETTINGS = named({
  ...serviceSettings,
  ...walletSettings,
  ...chainSettings,

  queueUrl: define({
    path: 'queue.url',
    parse: text(
      /^(embedded:|rediss?(\+sentinel|\+cluster)?:\/\/)/,
      'embedded:, redis://…, redis+sentinel://…, redis+cluster://…, or these with rediss',
    ),
    fallback: 'embedded:',
    expects:
      'embedded: (one process), redis://HOST:6379, redis+sentinel://HOST:26379,HOST:26379/NAME or redis+cluster://HOST:6379,HOST:6379; with rediss for TLS',
    summary: 'The queue engine: embedded for one process, Redis for many.',
    secret: 'credentials',
  }),
  ...redisSettings,
  queuePrefix: define({
    path: 'queue.prefix',
    parse: text(/^[A-Za-z0-9_-]{1,60}$/, 'letters, digits, _ and -'),
    fallback: 'attestd',
    expects: 'letters, digits, _ and -',
    summary: 'Separates several deployments that share one Redis.',
  }),
  queueFsync: define({
    path: 'queue.fsync',
    ...yesNo,
    fallback: 'false',
    summary: 'Whether the embedded queue waits for the disk on every write: survives a power cut, costs throughput.',
  }),
  queueLockMs: define({
    path: 'queue.lockMs',
    ...milliseconds(1000, 10 * MINUTE),
    fallback: '30000',
    summary: 'How long a worker keeps a job without renewing its lock.',
  }),
  analyzeConcurrency: define({
    path: 'queue.analyzeConcurrency',
    ...whole(1, 64),
    fallback: '4',
    summary: 'Assets analyzed at the same time; slow fetches do not count.',
  }),
  submitConcurrency: define({
    path: 'queue.submitConcurrency',
    ...whole(1, 64),
    fallback: '4',
    summary: 'Scores submitted at the same time.',
  }),
  retryMaxMs: define({
    path: 'queue.retryMaxMs',
    ...milliseconds(100, 10 * MINUTE),
    fallback: '60000',
    summary: 'Longest back-off between two attempts of a job; a Retry-After may be longer.',
  }),

  ipfsGateways: define({
    path: 'media.ipfsGateways',
    parse: list(httpUrl).refine((all) => all.length > 0, 'at least one'),
    fallback: 'https://trustless-gateway.link,https://ipfs.io,https://dweb.link',
    expects: 'comma-separated http(s) origins, the preferred first',
    summary: 'Trustless IPFS gateways; every block is verified.',
    secret: 'credentials',
  }),
  gatewayHedgeMs: define({
    path: 'media.gatewayHedgeMs',
    ...milliseconds(10, 5 * MINUTE),
    fallback: '2500',
    summary: 'If a gateway has not started to deliver within this time, attestd asks the next one in parallel.',
  }),
  contentHash: define({
    path: 'media.contentHash',
    ...oneOf(['sha256', 'keccak256']),
    fallback: 'sha256',
    summary: 'Hash algorithm of contentHash.',
  }),
  mediaMaxBytes: define({
    path: 'media.maxBytes',
    ...size('200MiB'),
    summary: 'attestd abstains from larger media.',
  }),
  mediaTimeoutMs: define({
    path: 'media.timeoutMs',
    ...milliseconds(100, 60 * MINUTE),
    fallback: '120000',
    summary:
      'Longest time for one fetch over all gateways. A fetch below 32 kB/s after 8 s is retried later with more time.',
  }),
  fetchConnections: define({
    path: 'media.connections',
    ...whole(4, 1000),
    fallback: '64',
    summary:
      'Slow fetches at the same time. Media that was too slow before uses at most half of them, one https host a quarter.',
  }),
  fetchBytes: define({
    path: 'media.inFlightBytes',
    ...size('512MiB'),
    summary: 'Bytes of unfinished fetches above which all but the largest and those under 1 MiB pause.',
  }),
  mediaMaxRedirects: define({
    path: 'media.maxRedirects',
    ...whole(0, 20),
    fallback: '3',
    summary: 'Redirects followed for an https:// URI.',
  }),
  mediaCacheBytes: define({
    path: 'media.cacheBytes',
    ...size('2GiB'),
    summary: 'Size of the media cache in the data directory.',
  }),

  modelsDir: define({
    path: 'detect.modelsDir',
    parse: z.union([z.literal('').transform(() => packagePath('models')), folder]),
    fallback: '',
    expects: 'a directory of detector packages; empty for those that come with attestd',
    summary: 'Folder of detector packages.',
  }),
  detectors: define({
    path: 'detect.detectors',
    parse: chosenDetectors,
    fallback: '',
    expects:
      'comma-separated package ids, each as id, id=weight, id=shadow or id=canary:percent, and *=shadow for all others; empty: see models/README.md',
    summary:
      'Detector packages to load. Several for one kind of media are a weighted ensemble; a shadow only measures; a canary scores that share of the assets.',
    shown: (choices) => choicesText(choices),
  }),
  detectorToken: define({
    path: 'detect.token',
    parse: text(/^[\x21-\x7e]{1,4096}$/, 'printable characters without spaces'),
    expects: 'a token without spaces',
    summary: 'Bearer token for the one model server of remote detectors; sent over https or to this machine only.',
    secret: 'whole',
  }),
  detectorWorkers: define({
    path: 'detect.workers',
    parse: integer(0, 256).transform((count) => count || detectorWorkersFor(thisMachine())),
    fallback: '0',
    expects: '0 to 256',
    summary: 'Detector processes; 0 = by cores and half of the memory.',
  }),
  detectorCostlyPercent: define({
    path: 'detect.costlyPercent',
    parse: integer(0, 100),
    fallback: '50',
    expects: 'percent, 0 to 100',
    summary:
      'Share of the detector processes that costly files (videos, pictures over 24 megapixels, recordings over half a minute) may hold while others wait.',
  }),
  detectorTimeoutMs: define({
    path: 'detect.timeoutMs',
    ...milliseconds(50, 60 * MINUTE),
    fallback: '60000',
    summary: 'Longest time for one file; then the detector process is killed.',
  }),
  detectorMemoryMb: define({
    path: 'detect.memoryMb',
    parse: integer(64, 1_000_000),
    fallback: '1536',
    expects: 'megabytes, 64 or more',
    summary: 'Memory at which a detector process is killed and replaced.',
  }),
  detectorJobs: define({
    path: 'detect.jobsPerProcess',
    parse: integer(1, 10_000_000),
    fallback: '2000',
    expects: '1 or more',
    summary: 'Files after which a detector process is replaced.',
  }),
  ffmpeg: define({
    path: 'detect.ffmpeg',
    parse: text(/^[^\0]{1,1000}$/, 'a program name or path'),
    fallback: 'ffmpeg',
    expects: 'a program name or path',
    summary: 'Decodes video and the less common sound formats.',
  }),
  detectorCage: define({
    path: 'detect.cage',
    ...oneOf(['auto', 'require', 'off']),
    fallback: 'auto',
    summary:
      'Whether detector processes run under bubblewrap, without network and with few system calls: where possible, always, or never.',
  }),
  requireAdmission: define({
    path: 'detect.requireAdmission',
    ...yesNo,
    fallback: 'false',
    summary: 'Whether run loads only packages that passed attestd models admit with this data directory.',
  }),
  requireOpenWeights: define({
    path: 'detect.requireOpenWeights',
    ...yesNo,
    fallback: 'false',
    summary: 'Whether run refuses packages whose weights may not be used commercially.',
  }),
  expectedShare: define({
    path: 'detect.expectedShare',
    parse: between0And1,
    fallback: '0.5',
    expects: 'a number above 0 and below 1',
    summary: 'Share of machine-made media that you expect; multiplies the odds of each risk by share / (1 - share).',
  }),
  unsurePolicy: define({
    path: 'detect.unsurePolicy',
    ...oneOf(['abstain', 'submit', 'review']),
    fallback: 'abstain',
    summary:
      'On a risk in the decision band: no score, the calibrated risk, or what a person decides at /review of the console (needs ATTESTD_HTTP_PASSWORD).',
  }),

  roles: define({
    path: 'run.roles',
    parse: list(z.string().pipe(z.enum(ROLES)))
      .transform((all) => [...new Set(all)])
      .refine((all) => all.length > 0, 'at least one role'),
    fallback: 'intake,analyze,submit',
    expects: 'any of intake, analyze, submit',
    summary: 'What this process does. Processes with different roles share a Redis queue.',
  }),
  dataDir: define({
    path: 'run.dataDir',
    parse: folder,
    fallback: '~/.local/share/attestd',
    expects: 'a directory',
    summary: 'Holds embedded queue, media cache, verdicts and receipts.',
  }),
  drainMs: define({
    path: 'run.drainMs',
    ...milliseconds(0, 60 * MINUTE),
    fallback: '25000',
    summary: 'How long the first SIGTERM waits for active jobs.',
  }),
  retainVerdictsMs: define({
    path: 'run.retainVerdictsMs',
    parse: integer(MINUTE, 3650 * DAY),
    fallback: String(90 * DAY),
    expects: 'milliseconds, one minute or more',
    summary: 'How long verdicts and receipts are kept.',
  }),
  ledgerBytes: define({
    path: 'run.ledgerBytes',
    ...size('1GiB'),
    summary: 'Size of the ledger in the data directory; the oldest records are dropped.',
  }),
  verdictBytes: define({
    path: 'run.verdictBytes',
    ...size('1GiB'),
    summary: 'Size of the kept verdicts in the data directory; the oldest are dropped.',
  }),

  httpHost: define({
    path: 'http.host',
    parse: z.string().min(1, 'an address'),
    fallback: '127.0.0.1',
    expects: 'an address to bind, 127.0.0.1 for this machine only',
    summary: 'Address of console, queue board, metrics and health.',
  }),
  httpPort: define({
    path: 'http.port',
    parse: integer(0, 65_535),
    fallback: '8780',
    expects: '0 to 65535; 0 takes any free port',
    summary: 'Port of console, queue board, metrics and health.',
  }),
  httpPassword: define({
    path: 'http.password',
    parse: z.string().min(8, 'at least 8 characters'),
    expects: 'at least 8 characters',
    summary:
      'Password of console, status and queue board. Without it they serve this machine only, and the board is read-only.',
    secret: 'whole',
  }),
  ...alarmSettings,
  logLevel: define({
    path: 'log.level',
    ...oneOf(['debug', 'info', 'warn', 'error']),
    fallback: 'info',
    summary: 'Lowest level that is logged.',
  }),
  logFormat: define({
    path: 'log.format',
    ...oneOf(['auto', 'json', 'pretty']),
    fallback: 'auto',
    summary: 'JSON lines, or text for people; auto is pretty on a terminal.',
  }),
})

export type SettingKey = keyof typeof SETTINGS

type Value<K extends SettingKey> = (typeof SETTINGS)[K] extends Setting<infer T> ? T : never
type HasDefault<K extends SettingKey> = (typeof SETTINGS)[K] extends { readonly fallback: string } ? K : never
type WithDefault = { [K in SettingKey]: HasDefault<K> }[SettingKey]

/** Parsed settings. Those without a default are undefined unless the verb demanded them. */
export type Settings = { readonly [K in WithDefault]: Value<K> } & {
  readonly [K in Exclude<SettingKey, WithDefault>]?: Value<K>
}

/** Table rows with the loose type that generic code needs. */
export const settingRows = Object.entries(SETTINGS) as [SettingKey, Setting<unknown>][]

/** What is wrong with settings only when they are seen together. */
export interface Conflict {
  readonly key: SettingKey
  readonly expected: string
  readonly fix: string
}

/** @param settings those that were accepted one by one */
export function conflictsIn(settings: Partial<Settings>): Conflict[] {
  const { queueUrl, roles, serviceAllowHttp, serviceUrl } = settings
  const conflicts: Conflict[] = []
  if (queueUrl?.startsWith('embedded:') && roles && roles.length < ROLES.length) {
    conflicts.push({
      key: 'roles',
      expected: 'all roles, since the embedded queue serves one process and a missing role would leave its jobs undone',
      fix: 'Leave ATTESTD_ROLES out, or set ATTESTD_QUEUE_URL to redis://HOST:6379 to split the roles.',
    })
  }
  const tlsFile = REDIS_TLS_KEYS.find((key) => settings[key] !== undefined)
  if (tlsFile && queueUrl && !queueUrl.startsWith('rediss')) {
    conflicts.push({
      key: tlsFile,
      expected: 'a queue URL with TLS, since a plain connection checks no certificate',
      fix: `Begin ATTESTD_QUEUE_URL with rediss, or leave ATTESTD_${SETTINGS[tlsFile].env} out.`,
    })
  }
  if (serviceUrl?.startsWith('http:') && !serviceAllowHttp && !isLoopback(new URL(serviceUrl).hostname)) {
    conflicts.push({
      key: 'serviceUrl',
      expected: 'https://, since plain http is taken for this machine only',
      fix: 'Correct ATTESTD_SERVICE_URL, or set ATTESTD_SERVICE_ALLOW_HTTP=true for a sandbox without real credentials.',
    })
  }
  return conflicts
}
