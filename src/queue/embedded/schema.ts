import type { PgPool } from 'bullmq'
import { runMigrations } from '../bullmq.js'

/** BullMQ's name for its schema when it is handed a pool. */
const SCHEMA = 'bullmq'

/** Migrates the tables of BullMQ up to its version, and makes them what statements find. */
export async function migrate(pool: PgPool): Promise<void> {
  const client = await pool.connect()
  await runMigrations(client, SCHEMA)
  client.release()
  await pool.query(`SET search_path TO "${SCHEMA}"`)
}
