import type { Clock, Random } from '../../core/clock.js'
import { AttestdError } from '../../core/errors.js'
import type { Reason } from '../../core/reasons.js'
import { type Backoff, backoffMs } from '../../core/retry.js'
import type { MeasuredFile } from '../contract/measurement.js'
import type { ChildEnd, DetectorProcess } from './detector-process.js'

type Check = (answer: MeasuredFile) => void

/** Wait before a process that died is replaced; it doubles while no replacement completes a job. */
const RESTART_BACKOFF: Backoff = { baseMs: 250, maxMs: 30_000 }
/** A process that cannot be started is tried this often before the host gives up at its own start. */
const FIRST_START_ATTEMPTS = 3
const PASSING: ReadonlySet<Reason> = new Set<Reason>(['detector-start-failed', 'detector-unreachable'])

/** One process's place in the pool: what it shares with the other slots, and how it reports to the pool. */
export interface SlotOptions {
  /** Resident memory after a job above which a process is replaced, bytes. */
  readonly memoryBytes: number
  /** A process is replaced after this many jobs. */
  readonly jobsPerChild: number
  readonly clock: Clock
  readonly random: Random
  readonly closing: AbortSignal
  /** Shared by all slots: only one successor is warmed at a time, because it doubles the memory. */
  readonly renewing: { taken: boolean }
  /** Starts and warms one process; calls `ended` when it is gone. */
  launch(ended: (child: DetectorProcess, end: ChildEnd) => void): Promise<DetectorProcess>
  onFree(slot: ChildSlot): void
  /** A replacement could not be started; the next try comes after `waitMs`. */
  onStartFailed(waitMs: number): void
}

/** A place for one process: keeps it filled with a warmed one. */
export class ChildSlot {
  /** Set by the pool from the moment the slot is given to a job. */
  busy = false
  /** Whether that job takes longer than most. */
  isCostly = false
  #child: DetectorProcess | null = null
  /** A warmed process that takes over when the present one is free. */
  #successor: DetectorProcess | null = null
  #jobs = 0
  /** Failed starts, and ends without a job, since the last job that a process survived. */
  #failures = 0
  #refilling = false
  #startFailed = false

  readonly #options: SlotOptions

  constructor(options: SlotOptions) {
    this.#options = options
  }

  get child(): DetectorProcess | null {
    return this.#child
  }

  /** Empty, and the last try to fill it failed. */
  get down(): boolean {
    return this.#child === null && this.#startFailed
  }

  /** Starts the first process. @throws AttestdError the reason why none can be started */
  async start(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#fill()
      } catch (error) {
        const passing = error instanceof AttestdError && PASSING.has(error.reason)
        if (!passing || attempt >= FIRST_START_ATTEMPTS) throw error
        await this.#options.clock.sleep(this.#restartDelay(attempt), this.#options.closing)
      }
    }
  }

  /**
   * Frees the slot once a job of its process has ended.
   * @param check looks at the answer; where it throws, the process is not trusted any more and is replaced
   */
  async busyUntil(job: Promise<MeasuredFile>, child: DetectorProcess, check?: Check): Promise<MeasuredFile> {
    try {
      return trust(child, await job, check)
    } finally {
      this.busy = false
      this.#afterJob(child)
    }
  }

  #afterJob(child: DetectorProcess): void {
    this.#jobs++
    if (child.alive) this.#failures = 0
    if (child.alive && child.rssBytes > this.#options.memoryBytes) void child.kill('memory')
    if (!child.alive && this.#child === child) this.#child = null
    if (child.alive && this.#successor !== null) this.#promote()
    // Also where a successor took over before this job let go of the slot.
    this.#options.onFree(this)
    if (child.alive && this.#jobs >= this.#options.jobsPerChild) void this.#renew()
  }

  /** Starts a process for the empty slot, again and again until one is warm. */
  async #refill(delayMs: number): Promise<void> {
    const { clock, closing } = this.#options
    if (this.#refilling) return
    this.#refilling = true
    for (let waitMs = delayMs; ; ) {
      try {
        await clock.sleep(waitMs, closing)
        await this.#fill()
        break
      } catch {
        if (closing.aborted) return
        this.#startFailed = true
        waitMs = this.#restartDelay(++this.#failures)
        this.#options.onStartFailed(waitMs)
      }
    }
    this.#refilling = false
  }

  async #fill(): Promise<void> {
    if (this.#child !== null) return
    const child = await this.#launch()
    if (this.#child === null) this.#install(child)
    else await child.kill('closed')
  }

  async #renew(): Promise<void> {
    const { renewing, closing } = this.#options
    if (renewing.taken || closing.aborted) return
    renewing.taken = true
    try {
      this.#successor = await this.#launch()
      if (!this.busy) this.#promote()
    } catch {
      // The present process stays; the next try comes after as many jobs again.
      this.#jobs = 0
    } finally {
      renewing.taken = false
    }
  }

  #promote(): void {
    const [old, successor] = [this.#child, this.#successor]
    if (successor === null) return
    this.#successor = null
    this.#install(successor)
    void old?.kill('jobs')
  }

  #install(child: DetectorProcess): void {
    this.#child = child
    this.#jobs = 0
    this.#startFailed = false
    this.#options.onFree(this)
  }

  async #launch(): Promise<DetectorProcess> {
    const child = await this.#options.launch((ended, end) => this.#afterEnd(ended, end))
    if (!child.alive) throw new AttestdError('detector-start-failed')
    return child
  }

  #afterEnd(child: DetectorProcess, end: ChildEnd): void {
    if (this.#successor === child) this.#successor = null
    if (this.#child === child) this.#child = null
    if (this.#child !== null || this.#options.closing.aborted) return
    if (this.#successor === null) this.#replace(end)
    else this.#promote()
  }

  #replace(end: ChildEnd): void {
    const planned = end.cause === 'memory' && end.idle
    if (end.idle && !planned) this.#failures++
    void this.#refill(planned ? 0 : this.#restartDelay(Math.max(1, this.#failures)))
  }

  #restartDelay(failures: number): number {
    return backoffMs(failures, RESTART_BACKOFF, this.#options.random)
  }
}

function trust(child: DetectorProcess, answer: MeasuredFile, check?: Check): MeasuredFile {
  try {
    check?.(answer)
    return answer
  } catch (error) {
    void child.kill('self-test')
    throw error
  }
}
