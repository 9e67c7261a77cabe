import { AttestdError } from '../../core/errors.js'

/** A host as it is dialed (IPv6 without brackets) and its port. */
export interface RedisNode {
  readonly host: string
  readonly port: number
}

/** Where Redis is, as its URL states; only `shown` may stand in a log line or an error. */
export interface RedisAddress {
  readonly shape: 'single' | 'sentinel' | 'cluster'
  readonly tls: boolean
  /** The server; the Sentinels; or those nodes of a cluster that are asked for the others. */
  readonly nodes: readonly RedisNode[]
  readonly username: string | undefined
  readonly password: string | undefined
  /** What the Sentinels call the primary; empty elsewhere. */
  readonly primary: string
  readonly db: number
  /** The URL without user and password. */
  readonly shown: string
}

const URL_PARTS = /^(redis|rediss)(?:\+(sentinel|cluster))?:\/\/(?:([^/]*)@)?([^/@]+)(\/.*)?$/
const NODE = /^(?:\[([0-9a-fA-F:.]+)\]|([^\s:[\]?#]+))(?::(\d{1,5}))?$/
const EXPECTED =
  'expected embedded:, redis://HOST:6379/0, redis+sentinel://HOST:26379,HOST:26379/NAME/0 or redis+cluster://HOST:6379,HOST:6379; with TLS, rediss'
/** What the path of each shape is, and what was meant to stand there. */
const PATHS = {
  single: { pattern: /^\/?(?<db>\d{0,5})$/, expected: 'is not a Redis database number' },
  sentinel: {
    pattern: /^\/(?<name>[\w.-]+)(?:\/(?<db>\d{0,5}))?$/,
    expected: 'does not name the primary as the Sentinels do, such as /mymaster or /mymaster/0',
  },
  cluster: { pattern: /^\/?$/, expected: 'must be empty: a cluster has only one database' },
} as const
const DEFAULT_PORTS = { single: 6379, sentinel: 26_379, cluster: 6379 } as const

/**
 * Reads `redis://`, `redis+sentinel://` and `redis+cluster://`, and the same with `rediss` for TLS. User and password
 * stand once, before the first host, with percent signs for what a URL cannot hold.
 * @throws AttestdError setting-invalid; the URL is never repeated, because it may hold a password
 */
export function parseRedisUrl(url: string): RedisAddress {
  const [, scheme, kind, userinfo, hosts, path = ''] = URL_PARTS.exec(url) ?? []
  if (!scheme || !hosts) throw refused(`The queue URL names no host, or is not of a known kind: ${EXPECTED}.`)
  const shape = (kind as 'sentinel' | 'cluster' | undefined) ?? 'single'
  const parts = hosts.split(',')
  if (shape === 'single' && parts.length > 1) throw refused(`A redis:// URL names one host: ${EXPECTED}.`)
  const { pattern, expected } = PATHS[shape]
  const found = pattern.exec(path)
  if (!found) throw refused(`The path of the queue URL ${expected}.`)
  return {
    shape,
    tls: scheme === 'rediss',
    nodes: parts.map((part) => parseNode(part, DEFAULT_PORTS[shape])),
    ...parseUser(userinfo),
    primary: found.groups?.name ?? '',
    db: Number(found.groups?.db ?? 0),
    shown: `${scheme}${kind ? `+${kind}` : ''}://${hosts}${path}`,
  }
}

/** First part of every key: on a cluster in braces, so that all keys are in one slot, without which BullMQ cannot work. */
export const keyPrefix = ({ shape }: Pick<RedisAddress, 'shape'>, prefix: string): string =>
  shape === 'cluster' ? `{${prefix}}` : prefix

function parseNode(text: string, defaultPort: number): RedisNode {
  const [, ipv6, name, port = String(defaultPort)] = NODE.exec(text.trim()) ?? []
  const host = ipv6 ?? name
  if (!host || Number(port) > 65_535) throw refused(`A host of the queue URL is malformed: ${EXPECTED}.`)
  return { host, port: Number(port) }
}

function parseUser(userinfo = ''): Pick<RedisAddress, 'username' | 'password'> {
  const colon = userinfo.indexOf(':')
  const [username, password] = colon < 0 ? [userinfo, ''] : [userinfo.slice(0, colon), userinfo.slice(colon + 1)]
  try {
    return { username: decodeURIComponent(username) || undefined, password: decodeURIComponent(password) || undefined }
  } catch {
    throw refused('User or password of the queue URL are malformed: write % as %25.')
  }
}

const refused = (message: string): AttestdError =>
  new AttestdError('setting-invalid', message, { fix: 'Correct ATTESTD_QUEUE_URL.' })
