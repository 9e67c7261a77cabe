import { EventEmitter } from 'node:events'
import type { PgPool, PgPoolClient, PgQueryResult } from 'bullmq'
import type { Clock } from '../../core/clock.js'
import { startRepeating } from '../../core/time-limit.js'
import type { Backing } from '../backing.js'
import { DatabaseThread } from './database-thread.js'
import { PgliteClient } from './pglite-client.js'
import type { ThreadSettings } from './thread-messages.js'

/** How often the need for maintenance is looked at, milliseconds. */
const MAINTENANCE_LOOK_MS = 60_000
/** Statements after which the next look leads to maintenance: about 500 jobs. */
const MAINTENANCE_DUE = 5000
/** Statements after which maintenance does not wait for the next look: about 5000 jobs, 25 MB of dead rows and WAL. */
const MAINTENANCE_PRESSING = 50_000
/**
 * A single-user PostgreSQL has no autovacuum and no checkpointer: without this the files grow with every job. To analyze
 * the system's own tables as well doubles the time, and they stay as they are.
 */
const MAINTENANCE = ['VACUUM', 'ANALYZE job, event', 'CHECKPOINT']

/** As BullMQ's `extend_lock` and `update_data`, but in one statement. */
const SAVE = `
UPDATE job
   SET data = $4::jsonb, locked_until_ms = $5::bigint
 WHERE queue = $1 AND id = $2 AND state = 'active' AND lock_token = $3`

/** As BullMQ's `update_data`, for a job that waits with this data. */
const SWAP = `
UPDATE job
   SET data = $4::jsonb
 WHERE queue = $1 AND id = $2 AND state NOT IN ('active', 'completed', 'failed') AND data = $3::jsonb`

/**
 * As BullMQ's `Queue.add`, without the locks that keep other sessions out; a statement sees no row that a function in it
 * inserts, so `kept` is what was there before.
 */
const ADD = `
SELECT add_job_unlocked($1, $2, $1, $3::jsonb, $4::jsonb, $5, 0, $6, 0, NULL, NULL, NULL, NULL, NULL, false),
       EXISTS (SELECT 1 FROM job WHERE queue = $1 AND id = $2) AS kept`

/**
 * One embedded PostgreSQL in the shape of the connection pool that BullMQ takes.
 * There is one session behind it, so statements run one after the other; BullMQ uses no transaction over several.
 */
export class PglitePool extends EventEmitter implements PgPool {
  /** BullMQ lets an idle worker sleep for up to an hour, instead of ten seconds, where connections are kept alive. */
  readonly options = { keepAlive: true }
  readonly lost: Promise<Error>
  readonly #clock: Clock
  readonly #thread: DatabaseThread
  readonly #clients: Set<PgliteClient>
  readonly #channels = new Set<string>()
  readonly #stopLooks: () => void
  #statements = 0

  static async open(settings: ThreadSettings, clock: Clock): Promise<PglitePool> {
    const clients = new Set<PgliteClient>()
    const thread = await DatabaseThread.start(settings, clock, (notification) => {
      for (const client of clients) client.emit('notification', notification)
    })
    return new PglitePool(thread, clients, clock)
  }

  private constructor(thread: DatabaseThread, clients: Set<PgliteClient>, clock: Clock) {
    super()
    // Every queue and worker adds an error listener.
    this.setMaxListeners(0)
    this.#clock = clock
    this.#thread = thread
    this.#clients = clients
    this.lost = thread.lost
    this.#stopLooks = startRepeating(clock, MAINTENANCE_LOOK_MS, () => void this.#maintainIfDue())
  }

  // biome-ignore lint/suspicious/noExplicitAny: the row type of BullMQ's interface
  async query<Row = any>(text: string, params?: readonly unknown[]): Promise<PgQueryResult<Row>> {
    // The server sees one session; who is connected is known here.
    if (/FROM\s+pg_stat_activity/i.test(text)) return { rows: this.#namedClients() as Row[] }
    if (++this.#statements === MAINTENANCE_PRESSING) void this.#maintainIfDue()
    const result = await this.#thread.request(params ? { ask: 'query', text, params } : { ask: 'query', text })
    return { rows: result.rows as Row[], rowCount: result.rowCount }
  }

  readonly saveData: Backing['saveData'] = async ({ queue, id, token, lockMs }, json) => {
    // BullMQ compares the end of the lock with the wall clock, which it reads itself.
    const { rowCount } = await this.query(SAVE, [queue, id, token, json, Math.ceil(this.#clock.now() + lockMs)])
    return rowCount === 1
  }

  readonly swapData: Backing['swapData'] = async ({ queue, id }, before, json) => {
    const { rowCount } = await this.query(SWAP, [queue, id, before, json])
    return rowCount === 1
  }

  readonly add: Backing['add'] = async ({ name }, data, options) => {
    const { jobId, priority } = options
    // BullMQ gives every job the option `attempts`.
    const texts = [JSON.stringify(data), JSON.stringify({ ...options, attempts: 0 })]
    const now = Math.floor(this.#clock.now())
    const { rows } = await this.query<{ kept: boolean }>(ADD, [name, jobId, ...texts, priority, now])
    return rows[0]?.kept === false
  }

  async connect(): Promise<PgPoolClient> {
    const client = new PgliteClient({
      query: (text, params) => this.query(text, params),
      listen: (channel) => this.#listen(channel),
      release: (released) => this.#clients.delete(released),
    })
    this.#clients.add(client)
    return client
  }

  /** Gives dead rows and old WAL back. */
  async maintain(): Promise<void> {
    this.#statements = 0
    for (const statement of MAINTENANCE) await this.query(statement)
  }

  /** BullMQ does not end a pool that it was given: call this after closing all queues and workers. */
  async end(): Promise<void> {
    this.#stopLooks()
    await this.#thread.close()
  }

  /** Ends it at once, without writing anything more. */
  async kill(): Promise<void> {
    this.#stopLooks()
    await this.#thread.kill()
  }

  async #maintainIfDue(): Promise<void> {
    if (this.#statements < MAINTENANCE_DUE) return
    try {
      await this.maintain()
    } catch (error) {
      this.emit('error', error)
    }
  }

  async #listen(channel: string): Promise<void> {
    if (this.#channels.has(channel)) return
    this.#channels.add(channel)
    try {
      await this.query(`LISTEN ${channel}`)
    } catch (error) {
      this.#channels.delete(channel)
      throw error
    }
  }

  #namedClients(): { application_name: string }[] {
    return [...this.#clients]
      .filter((client) => client.applicationName !== '')
      .map((client) => ({ application_name: client.applicationName }))
  }
}
