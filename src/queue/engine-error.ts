import { isDiskFull } from '../core/disk/storage-error.js'
import { AttestdError, errorCode, errorText } from '../core/errors.js'

/** Words of ioredis, BullMQ and Node for an engine that was not there, rather than one that refused. */
const AWAY =
  /ECONN|EPIPE|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|connection is closed|command timed out|Redis does not answer|writeable|socket|LOADING|MASTERDOWN|NOREPLICAS|CLUSTERDOWN|redirections|slots cache|startup nodes|isn't ready|sentinels are|node is disconnected|max number of clients/i

/** What ioredis throws once its reconnects were in vain: words about its own options. */
export const OUT_OF_RETRIES = /Reached the max retries per request limit.*/

/** Words of Redis for a user or password that it does not take, or no longer, and for rights that are missing, in scripts too. */
const REFUSED = /\b(NOAUTH|WRONGPASS|NOPERM)\b|ACL failure in script|can't run this command/

/** Words of a Redis that answers, but takes no writes: it is full, cannot save its snapshot, or is a replica. */
const WRITES_REFUSED = /\b(OOM|MISCONF|READONLY)\b/

/** What to do about an engine that is away, by its words; for others, what the list of reasons states. */
const FIXES: readonly (readonly [RegExp, string])[] = [
  [
    WRITES_REFUSED,
    'Redis answers, but refuses writes: raise its maxmemory (OOM), free its disk (MISCONF), or name the primary in ATTESTD_QUEUE_URL (READONLY).',
  ],
  [
    /ENOTFOUND|EAI_AGAIN/,
    'Correct the host in ATTESTD_QUEUE_URL, or the name servers of this machine; getent hosts HOST tests both.',
  ],
  [
    /ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|no connection within|command timed out/i,
    'Check that the host in ATTESTD_QUEUE_URL runs, that its name resolves, that no firewall drops the connection, and that Redis is not blocked by a slow command; redis-cli -u URL ping tests all.',
  ],
  [/max number of clients/, 'Raise maxclients in redis.conf, or end other clients; redis-cli CLIENT LIST names them.'],
  [
    /LOADING|MASTERDOWN|NOREPLICAS|CLUSTERDOWN/,
    'Redis runs, but is not ready: wait, then read its log, and that of its primary or its cluster.',
  ],
]

/** Of an error of Redis that is no refusal. */
export function awayError(text: string, cause: unknown): AttestdError {
  const words = `${text} ${errorCode(cause) ?? ''}`
  return new AttestdError('queue-unreachable', text, {
    cause,
    fix: FIXES.find(([pattern]) => pattern.test(words))?.[1],
  })
}

/** What BullMQ and its connections throw, in our reasons: rights, locks, connections and all the rest. */
export function engineError(error: unknown): AttestdError {
  if (error instanceof AttestdError) return error
  const text = errorText(error).replace(OUT_OF_RETRIES, 'Redis does not answer.')
  if (REFUSED.test(text)) return new AttestdError('queue-unauthorized', text, { cause: error })
  if (WRITES_REFUSED.test(text)) return awayError(text, error)
  if (isDiskFull(error)) return new AttestdError('disk-full', text, { cause: error })
  if (/\block\b/i.test(text)) return new AttestdError('job-lock-lost', text, { cause: error })
  if (AWAY.test(`${text} ${errorCode(error) ?? ''}`)) return awayError(text, error)
  return new AttestdError('internal-error', text, { cause: error })
}

/** The outcome of the work, what it throws in our reasons. @throws AttestdError as `engineError` */
export async function askEngine<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw engineError(error)
  }
}
