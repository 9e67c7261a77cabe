// Entry of the database thread: it owns the one PostgreSQL session of the process. PGlite settles its promises in
// microtasks, so on the main thread a busy queue would starve timers, sockets and signing.
import v8 from 'node:v8'
import { parentPort, workerData } from 'node:worker_threads'
import { PGlite, type PGliteOptions } from '@electric-sql/pglite'
import type { PgNotification } from 'bullmq'
import { errorText } from '../../core/errors.js'
import { StatementCache } from './statement-cache.js'
import { SyncedNodeFS } from './synced-node-fs.js'
import type {
  QueryRows,
  ThreadAnswer,
  ThreadFailure,
  ThreadMessage,
  ThreadRequest,
  ThreadSettings,
} from './thread-messages.js'

/** One session and few rows: more shared buffers only cost memory. WAL is kept short, since it is replayed at a start. */
const TUNING = ['shared_buffers=8MB', 'min_wal_size=32MB', 'max_wal_size=64MB', 'client_min_messages=warning']

/**
 * Together they leave the WebAssembly of this process to V8's first compiler. The optimizing one takes 500 MB for a moment on
 * Node 24, for one of PostgreSQL's functions, and saves nothing that can be measured (`npm run bench:start`, `bench:daemon`).
 */
const ONE_COMPILER = ['--no-wasm-tier-up', '--no-wasm-dynamic-tiering']

/** A line of PostgreSQL's log that states why it ends. */
const FATAL = /\b(?:FATAL|PANIC):\s+(.+)/

class DatabaseThread {
  readonly #db: PGlite
  readonly #statements: StatementCache

  /** @throws with PostgreSQL's own words, which PGlite keeps back */
  static async open(settings: ThreadSettings, notify: (notification: PgNotification) => void): Promise<DatabaseThread> {
    let fatal = ''
    const onStderr = (line: string) => {
      fatal ||= FATAL.exec(line)?.[1] ?? ''
      return false
    }
    try {
      return new DatabaseThread(await PGlite.create({ ...databaseOptions(settings), onStderr }), notify)
    } catch (error) {
      throw fatal === '' ? error : new Error(`${threadErrorText(error)} (${fatal})`, { cause: error })
    }
  }

  private constructor(db: PGlite, notify: (notification: PgNotification) => void) {
    this.#db = db
    this.#statements = new StatementCache(db)
    db.onNotification((channel, payload) => notify({ channel, payload }))
  }

  async answer(request: ThreadRequest): Promise<ThreadAnswer> {
    const { id } = request
    try {
      return { id, result: await this.#do(request) }
    } catch (error) {
      return { id, failure: failureOf(error) }
    }
  }

  async #do(request: ThreadRequest): Promise<QueryRows> {
    if (request.ask === 'close') return this.#close()
    return request.params ? this.#statements.run(request.text, request.params) : this.#script(request.text)
  }

  /** Several statements in one text; the answer is the last one's. */
  async #script(text: string): Promise<QueryRows> {
    const last = (await this.#db.exec(text)).at(-1)
    const rows = last?.rows ?? []
    return { rows, rowCount: last?.affectedRows || rows.length }
  }

  async #close(): Promise<QueryRows> {
    const result = await this.#script('CHECKPOINT')
    await this.#db.close()
    return result
  }
}

function databaseOptions({ directory, fsync }: ThreadSettings): PGliteOptions {
  // -F turns fsync off. fdatasync, the default method, is a stub in the WASM C library; fsync is not.
  const tuning = fsync ? [...TUNING, 'wal_sync_method=fsync'] : TUNING
  const defaults = PGlite.defaultStartParams.filter((param) => !(fsync && param === '-F'))
  const startParams = [...defaults, ...tuning.flatMap((setting) => ['-c', setting])]
  return fsync ? { startParams, fs: new SyncedNodeFS(directory) } : { startParams, dataDir: directory }
}

/** Numbers of the C library of WebAssembly for a disk or a quota without room. */
const NO_ROOM = new Set<unknown>([51, 19])

/** The file system of PGlite throws objects that hold no more than such a number. */
function threadErrorText(error: unknown): string {
  const { errno } = error as { errno?: unknown }
  return NO_ROOM.has(errno) ? `no space left on device (${errorText(error)})` : errorText(error)
}

function failureOf(error: unknown): ThreadFailure {
  const { code, detail } = error as { code?: unknown; detail?: unknown }
  return {
    message: threadErrorText(error),
    ...(typeof code === 'string' ? { code } : {}),
    ...(typeof detail === 'string' ? { detail } : {}),
  }
}

async function main(): Promise<void> {
  const port = parentPort
  if (!port) throw new Error('The database thread runs only as a worker thread.')
  const send = (message: ThreadMessage) => port.postMessage(message)
  const notifications: PgNotification[] = []
  for (const flag of ONE_COMPILER) v8.setFlagsFromString(flag)
  try {
    const thread = await DatabaseThread.open(workerData as ThreadSettings, (one) => notifications.push(one))
    port.on('message', async (requests: readonly ThreadRequest[]) => {
      const answers: ThreadAnswer[] = []
      for (const request of requests) answers.push(await thread.answer(request))
      send({ type: 'answers', answers, notifications: notifications.splice(0) })
      if (requests.some(({ ask }) => ask === 'close')) port.close()
    })
    send({ type: 'ready' })
  } catch (error) {
    send({ type: 'failed-to-start', message: threadErrorText(error) })
    port.close()
  }
}

await main()
