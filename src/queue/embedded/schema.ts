import type { PgPool } from 'bullmq'
import { runMigrations } from '../bullmq.js'

/** BullMQ's name for its schema when it is handed a pool. */
const SCHEMA = 'bullmq'
/** Where BullMQ's own functions are made once more, to be copied. */
const FRESH = 'attestd_fresh'

/** What earlier releases made of one of the two functions of BullMQ that they replaced. */
const IS_REPLACED = `SELECT 1 FROM pg_proc WHERE proname = 'publish_event' AND prosrc = 'SELECT 0::bigint'`

const PUT_BACK = `
DO $$
DECLARE v_name text;
BEGIN
  FOREACH v_name IN ARRAY ARRAY['publish_event', 'apply_retention'] LOOP
    EXECUTE replace(pg_get_functiondef(('${FRESH}.' || v_name)::regproc), '${FRESH}', '${SCHEMA}');
  END LOOP;
END $$;
DROP SCHEMA ${FRESH} CASCADE`

/** Migrates the tables of BullMQ up to its version, and makes them what statements find. */
export async function migrate(pool: PgPool): Promise<void> {
  await migrateSchema(pool, SCHEMA)
  await pool.query(`SET search_path TO "${SCHEMA}"`)
  const { rows } = await pool.query(IS_REPLACED, [])
  if (rows.length === 0) return
  await migrateSchema(pool, FRESH)
  await pool.query(`SET search_path TO "${SCHEMA}"; ${PUT_BACK}`)
}

async function migrateSchema(pool: PgPool, schema: string): Promise<void> {
  const client = await pool.connect()
  await runMigrations(client, schema)
  client.release()
}
