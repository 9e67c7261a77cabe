import path from 'node:path'
import { AttestdError } from '../core/errors.js'

/** A parsed queue URL: `dir` is absolute where the data directory is; `url` may hold a password, `shown` does not. */
export type QueueTarget =
  | { readonly kind: 'embedded'; readonly dir: string }
  | { readonly kind: 'redis'; readonly url: string; readonly shown: string }

const EXPECTED = 'expected embedded:, embedded:/some/dir, redis://HOST:6379/0 or rediss://HOST:6379/0'

/**
 * Which engine a queue URL asks for.
 * @param dataDir where the embedded queue lives when the URL names no directory; relative directories start there too
 * @throws AttestdError setting-invalid for anything else; the URL is never repeated, because it may hold a password
 */
export function parseQueueUrl(url: string, dataDir: string): QueueTarget {
  if (url.startsWith('embedded:')) return { kind: 'embedded', dir: embeddedDir(url.slice('embedded:'.length), dataDir) }
  const parsed = URL.canParse(url) ? new URL(url) : null
  if (parsed?.protocol !== 'redis:' && parsed?.protocol !== 'rediss:') {
    throw new AttestdError('setting-invalid', `The queue URL is not of a known kind: ${EXPECTED}.`)
  }
  if (!parsed.hostname) throw new AttestdError('setting-invalid', `The queue URL names no host: ${EXPECTED}.`)
  if (!/^\/?\d{0,5}$/.test(parsed.pathname)) {
    throw new AttestdError('setting-invalid', 'The path of the queue URL is not a Redis database number.')
  }
  return { kind: 'redis', url, shown: redactUrl(url) }
}

/** The URL as it may be shown: scheme, host, port and database, without user, password and query. */
export function redactUrl(url: string): string {
  if (!URL.canParse(url)) return '[unreadable URL]'
  const { protocol, host, pathname } = new URL(url)
  return protocol === 'redis:' || protocol === 'rediss:' ? `${protocol}//${host}${pathname}` : protocol
}

function embeddedDir(rest: string, dataDir: string): string {
  if (rest === '' || rest === '//') return path.join(dataDir, 'queue')
  if (rest.startsWith('//') && !rest.startsWith('///')) {
    throw new AttestdError('setting-invalid', `The embedded queue takes a directory, not a host: ${EXPECTED}.`)
  }
  return path.resolve(dataDir, rest.startsWith('///') ? rest.slice(2) : rest)
}
