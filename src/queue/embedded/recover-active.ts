import type { PgPool } from 'bullmq'
import { MAX_STALLED, STALLED_MESSAGE } from '../engine-options.js'

/** As BullMQ's own recovery of stalled jobs, but at once, and in the old place of the line. */
const RECOVER = `
UPDATE job
   SET state = 'waiting', lock_token = NULL, locked_until_ms = NULL, stalled_marked = false,
       stalled_count = stalled_count + 1,
       deferred_failure = CASE WHEN stalled_count + 1 > $1 THEN $2 ELSE deferred_failure END
 WHERE state = 'active'`

/**
 * Puts back the jobs that a killed process left active, instead of waiting for their locks to expire.
 * Safe only while nobody else can hold a job: after the directory lock was taken and before the first worker starts.
 * A start that ended in a dead process counts as a stall, so that a job which kills its process is failed in the end.
 * @returns how many
 */
export async function recoverActiveJobs(pool: PgPool): Promise<number> {
  const { rowCount } = await pool.query(RECOVER, [MAX_STALLED, STALLED_MESSAGE])
  return rowCount ?? 0
}
