import { isDiskFull } from '../core/disk/storage-error.js'
import { AttestdError, errorText } from '../core/errors.js'

/** Words of ioredis, BullMQ and Node for an engine that was not there, rather than one that refused. */
const AWAY =
  /ECONN|EPIPE|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|connection is closed|command timed out|Redis does not answer|writeable|socket|LOADING|MASTERDOWN|NOREPLICAS|CLUSTERDOWN|redirections|slots cache|startup nodes|isn't ready|sentinels are|node is disconnected/i

/** What ioredis throws once its reconnects were in vain: words about its own options. */
export const OUT_OF_RETRIES = /Reached the max retries per request limit.*/

/** Words of Redis for a user or password that it does not take, or no longer, and for rights that are missing, in scripts too. */
const REFUSED = /\b(NOAUTH|WRONGPASS|NOPERM)\b|ACL failure in script|can't run this command/

/** Words of a Redis that answers, but takes no writes: it is full, cannot save its snapshot, or is a replica. */
const WRITES_REFUSED = /\b(OOM|MISCONF|READONLY)\b/
const WRITES_FIX =
  'Redis answers, but refuses writes: raise its maxmemory (OOM), free its disk (MISCONF), or name the primary in ATTESTD_QUEUE_URL (READONLY).'

/** What BullMQ and its connections throw, in our reasons: rights, locks, connections and all the rest. */
export function engineError(error: unknown): AttestdError {
  if (error instanceof AttestdError) return error
  const text = errorText(error).replace(OUT_OF_RETRIES, 'Redis does not answer.')
  if (REFUSED.test(text)) return new AttestdError('queue-unauthorized', text, { cause: error })
  if (WRITES_REFUSED.test(text)) return new AttestdError('queue-unreachable', text, { cause: error, fix: WRITES_FIX })
  if (isDiskFull(error)) return new AttestdError('disk-full', text, { cause: error })
  if (/\block\b/i.test(text)) return new AttestdError('job-lock-lost', text, { cause: error })
  const { code } = error as { code?: unknown }
  const away = AWAY.test(text) || (typeof code === 'string' && AWAY.test(code))
  return new AttestdError(away ? 'queue-unreachable' : 'internal-error', text, { cause: error })
}

/** The outcome of the work, what it throws in our reasons. @throws AttestdError as `engineError` */
export async function askEngine<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw engineError(error)
  }
}
