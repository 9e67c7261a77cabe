import type { PgPool } from 'bullmq'
import type { Clock } from '../../core/clock.js'
import type { HeldJob } from '../backing.js'

/** As BullMQ's `extend_lock` and `update_data`, but in one statement. */
const SAVE = `
UPDATE job
   SET data = $4::jsonb, locked_until_ms = $5::bigint
 WHERE queue = $1 AND id = $2 AND state = 'active' AND lock_token = $3`

/**
 * Replaces the data of a job where the token still holds its lock, and renews the lock.
 * @param json the data as JSON text
 * @returns whether the lock was held
 */
export async function saveInDatabase(
  pool: PgPool,
  clock: Clock,
  { queue, id, token, lockMs }: HeldJob,
  json: string,
): Promise<boolean> {
  // BullMQ compares the end of the lock with the wall clock, which it reads itself.
  const { rowCount } = await pool.query(SAVE, [queue, id, token, json, Math.ceil(clock.now() + lockMs)])
  return rowCount === 1
}
