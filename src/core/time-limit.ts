import type { Clock } from './clock.js'

type Timers = Pick<Clock, 'sleep'>

/** The reason of a timer that is taken back, which nobody reads: without one Node makes an error with its stack, 0.1 ms. */
const TAKEN_BACK = null

/** Calls `fire` after `ms` by the clock. @returns takes it back */
export function startTimer(clock: Timers, ms: number, fire: () => void): () => void {
  const taken = new AbortController()
  clock.sleep(ms, taken.signal).then(fire, () => undefined)
  return () => taken.abort(TAKEN_BACK)
}

/** Calls `work` every `ms` by the clock, the first time after `ms`. @returns ends it */
export function startRepeating(clock: Timers, ms: number, work: () => void): () => void {
  let stop = () => {}
  const wait = () => {
    stop = startTimer(clock, ms, () => {
      wait()
      work()
    })
  }
  wait()
  return () => stop()
}

/**
 * The outcome of the work, or that of `late` where it takes longer than `ms`: what it returns, or the error that it
 * throws. The work itself goes on.
 */
export async function withinLimit<T, L>(clock: Timers, ms: number, work: Promise<T>, late: () => L): Promise<T | L> {
  const over = new AbortController()
  const limit = clock.sleep(ms, over.signal).then(late)
  try {
    return await Promise.race([work, limit])
  } finally {
    // A limit that is taken back rejects, and nobody waits for it any more.
    limit.catch(() => {})
    over.abort(TAKEN_BACK)
  }
}

/** A time limit for work that ends by a signal. */
export interface Deadline {
  /** Aborts when the time is up, or with the reason of the caller's signal. */
  readonly signal: AbortSignal
  /** Whether it was the time that ended the work. */
  readonly passed: boolean
  /** Call when the work has ended: nothing stays behind on the clock and on the caller's signal. */
  clear(): void
}

/**
 * @param parent the caller's signal, which may outlive this work by far
 * @param late the reason of the signal when the time is up; a `TimeoutError` where it is not given
 */
export function startDeadline(clock: Timers, ms: number, parent?: AbortSignal, late: () => Error = timeUp): Deadline {
  const stop = followerOf(parent)
  let passed = false
  const stopTimer = startTimer(clock, ms, () => {
    passed = !stop.signal.aborted
    stop.abort(late())
  })
  return {
    signal: stop.signal,
    get passed() {
      return passed
    },
    clear() {
      stopTimer()
      stop.leave()
    },
  }
}

/** As `AbortSignal.timeout` gives it. */
const timeUp = (): Error => new DOMException('The operation was aborted due to timeout', 'TimeoutError')

/** The work's outcome, or a rejection with the signal's reason as soon as it aborts; the work itself goes on unwatched. */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work
  let onAbort = () => {}
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason)
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
  })
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

export interface Follower {
  readonly signal: AbortSignal
  abort(reason: unknown): void
  /** Call when the work has ended: nothing stays behind on the signal that is followed. */
  leave(): void
}

/** A signal that aborts with another one, which may outlive it by far, or by itself. `AbortSignal.any` takes ten times as long. */
export function followerOf(followed: AbortSignal | undefined): Follower {
  const own = new AbortController()
  const follow = () => own.abort(followed?.reason)
  if (followed?.aborted) follow()
  else followed?.addEventListener('abort', follow, { once: true })
  return {
    signal: own.signal,
    abort: (reason) => own.abort(reason),
    leave: () => followed?.removeEventListener('abort', follow),
  }
}
