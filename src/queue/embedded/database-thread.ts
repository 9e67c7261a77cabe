import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { PgNotification } from 'bullmq'
import type { Clock } from '../../core/clock.js'
import { entryFile } from '../../core/files.js'
import { withinLimit } from '../../core/time-limit.js'
import type { QueryRows, ThreadFailure, ThreadMessage, ThreadRequest, ThreadSettings } from './thread-messages.js'

type WithoutId<T> = T extends unknown ? Omit<T, 'id'> : never
interface Waiting {
  readonly resolve: (rows: QueryRows) => void
  readonly reject: (error: Error) => void
}

/** WAL replay after a kill takes a second or two; a thread that needs longer than this hangs. Milliseconds. */
const START_LIMIT_MS = 120_000

/** The database thread as seen from the main one: requests go over, answers come back by id. */
export class DatabaseThread {
  readonly #worker: Worker
  readonly #waiting = new Map<number, Waiting>()
  readonly #onNotification: (notification: PgNotification) => void
  #nextId = 1
  /** Go over in one message once those before them are answered: a message costs as much as a small statement. */
  #held: ThreadRequest[] = []
  #isBusy = false
  #closing = false
  #gone: Error | undefined
  #reportLost: (error: Error) => void = () => {}
  /** Resolves when the thread ended without being asked to. */
  readonly lost: Promise<Error>

  /** Starts the thread and resolves when the database is open. @throws when it does not open */
  static async start(
    settings: ThreadSettings,
    clock: Clock,
    onNotification: (notification: PgNotification) => void,
  ): Promise<DatabaseThread> {
    const worker = new Worker(entryFile(import.meta.url, 'pglite-thread'), {
      name: 'attestd-queue',
      workerData: settings,
      env: {},
    })
    try {
      await withinLimit(clock, START_LIMIT_MS, untilReady(worker), () => {
        throw new Error(`not open after ${START_LIMIT_MS} ms`)
      })
      return new DatabaseThread(worker, onNotification)
    } catch (error) {
      await worker.terminate()
      throw error
    }
  }

  private constructor(worker: Worker, onNotification: (notification: PgNotification) => void) {
    this.#worker = worker
    this.#onNotification = onNotification
    this.lost = new Promise((resolve) => {
      this.#reportLost = resolve
    })
    worker.on('message', (message: ThreadMessage) => this.#receive(message))
    worker.on('error', (error) => this.#end(error))
    worker.on('exit', (code) => this.#end(new Error(`the database thread exited with code ${code}`)))
  }

  request(request: WithoutId<ThreadRequest>): Promise<QueryRows> {
    if (this.#gone || this.#closing) return Promise.reject(connectionClosed(this.#gone))
    return this.#send(request)
  }

  /** Ends the database in good order. */
  async close(): Promise<void> {
    if (this.#closing || this.#gone) return
    this.#closing = true
    const exited = new Promise<void>((resolve) => this.#worker.once('exit', () => resolve()))
    await this.#send({ ask: 'close' })
    await exited
  }

  /** Ends the thread at once, as a kill would; what was committed stays. */
  async kill(): Promise<void> {
    await this.#worker.terminate()
  }

  #send(request: WithoutId<ThreadRequest>): Promise<QueryRows> {
    return new Promise((resolve, reject) => {
      const id = this.#nextId++
      this.#waiting.set(id, { resolve, reject })
      this.#held.push({ ...request, id })
      if (!this.#isBusy) this.#sendHeld()
    })
  }

  #sendHeld(): void {
    const requests = this.#held
    this.#isBusy = requests.length > 0
    if (!this.#isBusy) return
    this.#held = []
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    this.#worker.postMessage(requests)
  }

  #receive(message: ThreadMessage): void {
    if (message.type !== 'answers') return
    for (const notification of message.notifications) this.#onNotification(notification)
    for (const answer of message.answers) {
      const waiting = this.#waiting.get(answer.id)
      this.#waiting.delete(answer.id)
      if ('result' in answer) waiting?.resolve(answer.result)
      else waiting?.reject(databaseError(answer.failure))
    }
    this.#sendHeld()
  }

  #end(cause: Error): void {
    if (this.#gone) return
    this.#gone = cause
    for (const { reject } of this.#waiting.values()) reject(connectionClosed(cause))
    this.#waiting.clear()
    if (!this.#closing) this.#reportLost(cause)
  }
}

/** Its first message states whether the database is open. */
async function untilReady(worker: Worker): Promise<void> {
  const exited = once(worker, 'exit').then(([code]) => {
    throw new Error(`the database thread exited with code ${code}`)
  })
  const [first] = (await Promise.race([once(worker, 'message'), exited])) as [ThreadMessage]
  if (first.type === 'failed-to-start') throw new Error(first.message)
}

/** PostgreSQL's error with the fields that BullMQ looks at. */
function databaseError({ message, code, detail }: ThreadFailure): Error {
  return Object.assign(new Error(message), { code, detail })
}

/** Worded and coded as BullMQ expects of a lost connection, so that its loops pause instead of spinning. */
function connectionClosed(cause: Error | undefined): Error {
  return Object.assign(new Error('Connection is closed.', { cause }), { code: 'ECONNREFUSED' })
}
