import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterEach } from 'vitest'
import { systemClock } from '../../src/core/clock.js'
import type { AttestdError } from '../../src/core/errors.js'
import { silentLog } from '../../src/core/log.js'
import type { QueueEngineOptions } from '../../src/queue/engine-options.js'
import {
  type Processor,
  QUEUE_NAMES,
  type QueueEngine,
  type QueueName,
  type RunningWorker,
  type WorkerEvents,
} from '../../src/queue/queues.js'

/** Longest pause between two tries, ms; the smallest jitter halves it. */
export const RETRY_MAX_MS = 100
export const LOCK_MS = 2000

/** Options that make back-off short: the smallest jitter, and locks that expire within a test. */
export function engineOptions(
  url: string,
  dataDir: string,
  more: Partial<QueueEngineOptions> = {},
): QueueEngineOptions {
  return {
    url,
    dataDir,
    prefix: 'attestd-test',
    lockMs: LOCK_MS,
    concurrency: { analyze: 4, submit: 1 },
    retryMaxMs: RETRY_MAX_MS,
    clock: systemClock,
    random: () => 0,
    log: silentLog,
    ...more,
  }
}

/** What workers report, and by `onTrouble` the engine. */
interface Events extends WorkerEvents {
  trouble?(error: AttestdError): void
}
type EventName = keyof Events
type EventOf<N extends EventName> = Parameters<NonNullable<Events[N]>>[0]

/** Collects what is reported, and lets a test wait for it. */
export class EventLog implements Events {
  readonly all: { name: EventName; event: unknown }[] = []
  #wake: () => void = () => {}
  readonly completed = this.#recorder('completed')
  readonly failed = this.#recorder('failed')
  readonly held = this.#recorder('held')
  readonly stalled = this.#recorder('stalled')
  readonly trouble = this.#recorder('trouble')

  of<N extends EventName>(name: N): EventOf<N>[] {
    return this.all.filter((entry) => entry.name === name).map((entry) => entry.event as EventOf<N>)
  }

  /** Resolves when `count` events of that name that match have come. */
  async until<N extends EventName>(name: N, match: (event: EventOf<N>) => boolean = () => true, count = 1) {
    for (;;) {
      const found = this.of(name).filter(match)
      if (found.length >= count) return found
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }

  #recorder<N extends EventName>(name: N) {
    return (event: EventOf<N>) => {
      this.all.push({ name, event })
      this.#wake()
    }
  }
}

/** Starts workers of an engine that tests share; after each test they are stopped and the queues empty. */
export function sharedWorkers(open: () => QueueEngine) {
  const workers: RunningWorker[] = []
  afterEach(async () => {
    await Promise.all(workers.splice(0).map((worker) => worker.stop(0)))
    for (const queue of QUEUE_NAMES) await open().drain(queue)
  })
  const work = async (queue: QueueName, processor: Processor<unknown, unknown>): Promise<EventLog> => {
    const events = new EventLog()
    workers.push(await open().work(queue, processor, events))
    return events
  }
  return { work, workers }
}

/** A promise with its ends outside (Node 20 has no Promise.withResolvers). */
export function deferred<T = void>() {
  let resolve: (value: T) => void = () => {}
  const promise = new Promise<T>((done) => {
    resolve = done
  })
  return { promise, resolve }
}

/** A processor that tells when it has begun its first job, and ends none before it is released. */
export function heldProcessor() {
  const [started, release] = [deferred(), deferred()]
  const run: Processor<unknown, unknown> = async () => {
    started.resolve()
    await release.promise
    return { kind: 'done', result: null }
  }
  return { run, started: started.promise, release: release.resolve }
}

/** An engine in a process of its own, which prints a line for what it did; see `engine-process.mjs`. */
export class EngineProcess {
  readonly #child: ChildProcess
  readonly lines: string[] = []
  #wake: () => void = () => {}

  constructor(options: { url: string; dataDir: string; lockMs: number; mode: 'save' | 'flood' }) {
    const script = fileURLToPath(new URL('engine-process.mjs', import.meta.url))
    this.#child = spawn(process.execPath, [script, JSON.stringify(options)], { stdio: ['ignore', 'pipe', 'inherit'] })
    createInterface({ input: this.#child.stdout! }).on('line', (line) => {
      this.lines.push(line)
      this.#wake()
    })
    this.#child.on('exit', () => this.#wake())
  }

  /** Resolves with the first line that starts so; rejects when the process ends before. */
  async line(start: string): Promise<string> {
    for (;;) {
      const found = this.lines.find((line) => line.startsWith(start))
      if (found !== undefined) return found
      if (this.#child.exitCode !== null) throw new Error(`engine process ended with ${this.#child.exitCode}`)
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }

  async kill9(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const gone = new Promise<void>((resolve) => this.#child.once('exit', () => resolve()))
    this.#child.kill('SIGKILL')
    await gone
  }
}
