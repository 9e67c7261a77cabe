import type { Clock } from '../../core/clock.js'

/** What an attempt is given. */
export interface AttemptContext {
  /** Aborts when another attempt won, or the whole race ended. */
  readonly signal: AbortSignal
  /** To be called whenever useful bytes arrived. */
  readonly progress: () => void
}

/** Rules of one race; `C` is a candidate, such as a gateway, and `T` what an attempt with it gives. */
export interface RaceOptions<C, T> {
  /** In the order in which they are tried. */
  readonly candidates: readonly C[]
  readonly attempt: (candidate: C, context: AttemptContext) => Promise<T>
  readonly clock: Clock
  /** How long all running attempts may be silent before one more starts, milliseconds. */
  readonly hedgeMs: number
  readonly signal: AbortSignal
  /** Whether one more attempt may run while others are silent. */
  readonly mayHedge: () => boolean
  /** Whether an error settles the matter, so that no other candidate can do better. */
  readonly isFinal: (error: unknown) => boolean
  /** Called for a candidate that was cancelled after it had been silent for `hedgeMs`. */
  readonly onSlow: (candidate: C) => void
  /** Called with the value of an attempt that succeeded after the race was over. */
  readonly onUnused: (value: T) => void
}

/** All candidates failed; `errors` in the order in which they did. */
export class RaceLostError extends Error {
  override readonly name = 'RaceLostError'
  readonly errors: readonly unknown[]

  constructor(errors: readonly unknown[]) {
    super('all candidates failed')
    this.errors = errors
  }
}

interface Runner<C> {
  readonly candidate: C
  readonly controller: AbortController
  readonly startedAt: number
  lastProgress: number | null
  readonly done: Promise<void>
}

/** A candidate that keeps losing to hedges before its first byte is not started for ever. */
const MAX_STARTS = 3

/**
 * Tries candidates in order: the next one starts at once when one fails, and as a hedge when all running ones are
 * silent for `hedgeMs`. The first to make progress cancels those that have made none; cancelled ones may be retried.
 */
export class HedgedRace<C, T> {
  readonly #queue: C[]
  readonly #options: RaceOptions<C, T>
  readonly #runners = new Set<Runner<C>>()
  readonly #starts = new Map<C, number>()
  readonly #errors: unknown[] = []
  readonly #watch = new AbortController()
  #settle!: { resolve: (value: T) => void; reject: (error: unknown) => void }
  #settled = false

  constructor(options: RaceOptions<C, T>) {
    this.#queue = [...options.candidates]
    this.#options = options
  }

  /** To be called once; returns when the losers have ended too. @throws RaceLostError, a final error, or the signal's reason */
  async run(): Promise<T> {
    const { signal } = this.#options
    signal.throwIfAborted()
    const onAbort = () => this.#finish(() => this.#settle.reject(signal.reason))
    signal.addEventListener('abort', onAbort, { once: true })
    const outcome = new Promise<T>((resolve, reject) => {
      this.#settle = { resolve, reject }
    })
    this.#startNext()
    void this.#hedge()
    try {
      return await outcome
    } finally {
      signal.removeEventListener('abort', onAbort)
      await Promise.allSettled([...this.#runners].map((runner) => runner.done))
    }
  }

  #startNext(): void {
    const candidate = this.#queue.shift()
    if (candidate === undefined) {
      if (this.#runners.size === 0) this.#finish(() => this.#settle.reject(new RaceLostError(this.#errors)))
      return
    }
    this.#starts.set(candidate, (this.#starts.get(candidate) ?? 0) + 1)
    const controller = new AbortController()
    const { attempt, clock } = this.#options
    const startedAt = clock.monotonic()
    const progress = () => this.#onProgress(runner)
    const work = Promise.resolve().then(() => attempt(candidate, { signal: controller.signal, progress }))
    const done = work.then(
      (value) => this.#onSuccess(runner, value),
      (error: unknown) => this.#onFailure(runner, error),
    )
    const runner: Runner<C> = { candidate, controller, startedAt, lastProgress: null, done }
    this.#runners.add(runner)
  }

  #onProgress(runner: Runner<C>): void {
    if (this.#settled || runner.controller.signal.aborted) return
    const isFirst = runner.lastProgress === null
    runner.lastProgress = this.#options.clock.monotonic()
    if (!isFirst) return
    for (const other of this.#runners) if (other !== runner && other.lastProgress === null) this.#cancel(other)
  }

  /** Not `failed`: the candidate lost this heat only, and goes to the end of the queue. */
  #cancel(runner: Runner<C>): void {
    const { clock, hedgeMs, onSlow } = this.#options
    if (clock.monotonic() - runner.startedAt >= hedgeMs) onSlow(runner.candidate)
    if ((this.#starts.get(runner.candidate) ?? 0) < MAX_STARTS) this.#queue.push(runner.candidate)
    runner.controller.abort(new DOMException('another gateway was faster', 'AbortError'))
  }

  #onSuccess(runner: Runner<C>, value: T): void {
    this.#runners.delete(runner)
    if (this.#settled) this.#options.onUnused(value)
    else this.#finish(() => this.#settle.resolve(value))
  }

  #onFailure(runner: Runner<C>, error: unknown): void {
    this.#runners.delete(runner)
    if (this.#settled) return
    if (runner.controller.signal.aborted) {
      if (this.#runners.size === 0) this.#startNext()
      return
    }
    if (this.#options.isFinal(error)) {
      this.#finish(() => this.#settle.reject(error))
      return
    }
    this.#errors.push(error)
    this.#startNext()
  }

  async #hedge(): Promise<void> {
    const { clock, hedgeMs, mayHedge } = this.#options
    while (!this.#settled) {
      const latest = Math.max(...[...this.#runners].map((runner) => runner.lastProgress ?? runner.startedAt))
      const wait = latest + hedgeMs - clock.monotonic()
      if (wait <= 0 && this.#queue.length > 0 && mayHedge()) {
        this.#startNext()
        continue
      }
      try {
        await clock.sleep(wait > 0 ? wait : hedgeMs, this.#watch.signal)
      } catch {
        return
      }
    }
  }

  #finish(settle: () => void): void {
    if (this.#settled) return
    this.#settled = true
    settle()
    this.#watch.abort(null)
    for (const runner of this.#runners) runner.controller.abort(this.#options.signal.reason ?? raceOver())
  }
}

const raceOver = (): DOMException => new DOMException('the race is over', 'AbortError')
