import path from 'node:path'
import { AttestdError } from '../core/errors.js'
import { parseRedisUrl, type RedisAddress } from './redis/redis-url.js'

/** A parsed queue URL: `dir` is absolute where the data directory is. */
export type QueueTarget =
  | { readonly kind: 'embedded'; readonly dir: string }
  | { readonly kind: 'redis'; readonly address: RedisAddress }

/**
 * Which engine a queue URL asks for.
 * @param dataDir where the embedded queue lives when the URL names no directory; relative directories start there too
 * @throws AttestdError setting-invalid for anything else; the URL is never repeated, because it may hold a password
 */
export function parseQueueUrl(url: string, dataDir: string): QueueTarget {
  if (url.startsWith('embedded:')) return { kind: 'embedded', dir: embeddedDir(url.slice('embedded:'.length), dataDir) }
  return { kind: 'redis', address: parseRedisUrl(url) }
}

function embeddedDir(rest: string, dataDir: string): string {
  if (rest === '' || rest === '//') return path.join(dataDir, 'queue')
  if (rest.startsWith('//') && !rest.startsWith('///')) {
    throw new AttestdError(
      'setting-invalid',
      'The embedded queue takes a directory, not a host: expected embedded: or embedded:/some/dir.',
      { fix: 'Correct ATTESTD_QUEUE_URL.' },
    )
  }
  return path.resolve(dataDir, rest.startsWith('///') ? rest.slice(2) : rest)
}
