import { type PgPool, runMigrations } from 'bullmq'

/** BullMQ's name for its schema when it is handed a pool. */
const SCHEMA = 'bullmq'

/**
 * Two functions of BullMQ 6.7 made lighter, which took half of what a job costs, and more where many are kept. Its events
 * are for readers in other processes, and nobody reads them; those of an older release are removed. Its retention sorts the
 * ended jobs of a queue again as each job ends: here age counts at each end, which an index answers, and number at about
 * every hundredth (101 is prime, so that queues and outcomes which take turns are all looked at). Every job states both.
 */
const LIGHTER = `
CREATE OR REPLACE FUNCTION publish_event(p_queue text, p_event text, p_data jsonb) RETURNS bigint
LANGUAGE sql AS 'SELECT 0::bigint';

CREATE OR REPLACE FUNCTION apply_retention(
  p_queue text, p_id text, p_state job_state, p_now bigint, p_remove_all boolean, p_keep_age bigint, p_keep_count integer
) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM job WHERE queue = p_queue AND state = p_state AND finished_at_ms <= p_now - p_keep_age * 1000;
  IF nextval('event_seq') % 101 = 0 THEN
    DELETE FROM job
     WHERE queue = p_queue AND state = p_state
       AND id NOT IN (SELECT id FROM job WHERE queue = p_queue AND state = p_state
                       ORDER BY finished_at_ms DESC, seq DESC LIMIT p_keep_count);
  END IF;
END $$;

TRUNCATE event`

/** Migrates the tables of BullMQ up to its version, with lighter functions, and makes them what statements find. */
export async function migrate(pool: PgPool): Promise<void> {
  const client = await pool.connect()
  await runMigrations(client, SCHEMA)
  client.release()
  await pool.query(`SET search_path TO "${SCHEMA}"`)
  await pool.query(LIGHTER)
}
