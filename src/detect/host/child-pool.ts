import { AttestdError, toAttestdError } from '../../core/errors.js'
import type { Log } from '../../core/log.js'
import { unlessAborted } from '../../core/time-limit.js'
import type { MeasuredFile } from '../contract/measurement.js'
import type { DetectorEventSink } from '../detector-events.js'
import { ChildSlot, type SlotOptions } from './child-slot.js'
import type { ChildEnd, ChildJob, DetectorProcess } from './detector-process.js'
import { WaitingLine } from './waiting-line.js'

/** What a pool replaces its processes for, and how it starts them; `DetectorCrew` fills it in from its own options. */
export interface PoolOptions extends Pick<SlotOptions, 'memoryBytes' | 'jobsPerChild' | 'clock' | 'random'> {
  readonly size: number
  /** Of these, the most that costly jobs keep while others wait; with 0 some others come first. */
  readonly costlySize: number
  readonly log: Log
  readonly onEvent: DetectorEventSink
  /** Starts and warms one process. @throws AttestdError */
  startChild(signal: AbortSignal): Promise<DetectorProcess>
}

/** With one process, so many cheap jobs go before a costly one that waits, so that cheap ones never starve it. */
const CHEAP_FIRST = 8
/** Costly jobs that may wait per process: enough to keep it at work, few enough to leave the queue's places to others. */
const COSTLY_WAITING = 4

type EndListener = (child: DetectorProcess, end: ChildEnd) => void

interface JobTraits {
  /** Whether it takes longer than most, so that it makes way for others where too many of its kind run. @default false */
  readonly isCostly?: boolean
  /** Called where a costly job must wait; what it returns is called once the wait ends. */
  readonly stepAside?: (() => () => void) | undefined
  /** Looks at the answer; where it throws, the process is not trusted any more and is replaced. */
  readonly check?: (answer: MeasuredFile) => void
}

/** A fixed number of warmed processes, one job at a time each; ended ones are replaced. */
export class ChildPool {
  readonly #slots: readonly ChildSlot[]
  readonly #line = new WaitingLine<ChildSlot>()
  readonly #closing = new AbortController()
  readonly #living = new Set<DetectorProcess>()
  readonly #launching = new Set<Promise<DetectorProcess>>()

  readonly #options: PoolOptions

  constructor(options: PoolOptions) {
    this.#options = options
    const slotOptions = {
      ...options,
      closing: this.#closing.signal,
      renewing: { taken: false },
      launch: (ended: EndListener) => this.#launch(ended),
      onFree: (slot: ChildSlot) => this.#offer(slot),
      onStartFailed: (waitMs: number) => this.#refuseWhenDown(waitMs),
    }
    this.#slots = Array.from({ length: options.size }, () => new ChildSlot(slotOptions))
  }

  /** Starts all processes side by side. Ends them all where one cannot start. */
  async start(): Promise<void> {
    try {
      await Promise.all(this.#slots.map((slot) => slot.start()))
    } catch (error) {
      await this.close()
      throw error
    }
  }

  /** Whether as many costly jobs wait as keep the processes at work. */
  get isCrowded(): boolean {
    return this.#line.costly >= COSTLY_WAITING * this.#options.size
  }

  /** Processes that are warm and free, that are at work, and that there should be; jobs that wait for one. */
  state(): { ready: number; busy: number; size: number; waiting: number } {
    const slots = this.#slots
    return {
      waiting: this.#line.length,
      ready: slots.filter((slot) => slot.child && !slot.busy).length,
      busy: slots.filter((slot) => slot.busy).length,
      size: slots.length,
    }
  }

  /**
   * Runs a job on the next free process. When the signal aborts, the caller is released at once and the process
   * finishes the job for nobody.
   * @throws AttestdError of the job, detector-unavailable, draining
   */
  async run(job: ChildJob, signal?: AbortSignal, { check, ...traits }: JobTraits = {}): Promise<MeasuredFile> {
    const slot = await this.#acquire(traits, signal)
    const { child } = slot
    if (child === null) {
      slot.busy = false
      throw new AttestdError('detector-unavailable')
    }
    this.#options.onEvent({ type: 'job-started', pid: child.pid, detectorId: job.detectorId })
    const work = slot.busyUntil(child.measure(job), child, check)
    return unlessAborted(work, signal)
  }

  /** Ends all processes by their id; jobs on them and those waiting fail with `draining`. Resolves when all are gone. */
  async close(): Promise<void> {
    this.#closing.abort()
    this.#line.dismiss(stopping())
    await Promise.all([...this.#living].map((child) => child.kill('closed', stopping())))
    await Promise.allSettled(this.#launching)
  }

  async #acquire({ isCostly = false, stepAside }: JobTraits, signal?: AbortSignal): Promise<ChildSlot> {
    signal?.throwIfAborted()
    if (this.#closing.signal.aborted) throw stopping()
    const free = this.#slots.find((slot) => slot.child && !slot.busy)
    if (free !== undefined) {
      free.busy = true
      free.isCostly = isCostly
      return free
    }
    const slot = this.#line.join(signal, isCostly)
    this.#refuseWhenDown()
    const comeBack = isCostly ? stepAside?.() : undefined
    try {
      return await slot
    } finally {
      comeBack?.()
    }
  }

  /**
   * Gives a free process to the first in line, or to the first with a cheap job where costly ones hold their share; the slot
   * is busy before that one even wakes.
   */
  #offer(slot: ChildSlot): void {
    if (slot.busy || !slot.child) return
    const costly = this.#slots.filter(({ busy, isCostly }) => busy && isCostly).length
    const cheapFirst = costly === 0 ? CHEAP_FIRST : Number.POSITIVE_INFINITY
    const served = this.#line.handOut(slot, costly >= this.#options.costlySize ? cheapFirst : 0)
    slot.busy = served !== null
    slot.isCostly = served?.isCostly ?? false
  }

  /** While no process can be started at all, waiting is no use: the job is better retried later. */
  #refuseWhenDown(retryAfterMs?: number): void {
    if (!this.#slots.every((slot) => slot.down)) return
    this.#line.dismiss(new AttestdError('detector-unavailable', undefined, { retryAfterMs }))
  }

  #launch(ended: EndListener): Promise<DetectorProcess> {
    const launching = this.#launchWarm(ended)
    this.#launching.add(launching)
    const forget = () => this.#launching.delete(launching)
    launching.then(forget, forget)
    return launching
  }

  async #launchWarm(ended: EndListener): Promise<DetectorProcess> {
    const { startChild, onEvent } = this.#options
    try {
      const child = await startChild(this.#closing.signal)
      this.#living.add(child)
      void child.ended.then((end) => this.#afterEnd(child, end, ended))
      if (this.#closing.signal.aborted) await child.kill('closed')
      this.#closing.signal.throwIfAborted()
      onEvent({ type: 'child-started', pid: child.pid })
      return child
    } catch (error) {
      if (!this.#closing.signal.aborted) this.#reportStartFailed(toAttestdError(error))
      throw error
    }
  }

  #afterEnd(child: DetectorProcess, end: ChildEnd, ended: EndListener): void {
    this.#living.delete(child)
    this.#options.onEvent({ type: 'child-stopped', pid: child.pid, cause: end.cause })
    // Each line has the pid of the daemon.
    const facts = { detectorPid: child.pid, cause: end.cause, output: end.output || undefined }
    const planned = end.cause === 'closed' || end.cause === 'jobs' || (end.cause === 'memory' && end.idle)
    if (planned) this.#options.log.debug(facts, 'detector process was replaced or closed')
    else this.#options.log.warn(facts, 'detector process ended')
    ended(child, end)
  }

  #reportStartFailed(error: AttestdError): void {
    this.#options.onEvent({ type: 'child-start-failed', reason: error.reason })
    this.#options.log.error({ reason: error.reason, err: error }, 'detector process could not be started')
  }
}

const stopping = (): AttestdError => new AttestdError('draining', 'The detector host is closing.')
