import type { Clock } from './clock.js'

/** Calls `fire` after `ms` by the clock. @returns takes it back */
export function startTimer(clock: Clock, ms: number, fire: () => void): () => void {
  const taken = new AbortController()
  clock.sleep(ms, taken.signal).then(fire, () => undefined)
  return () => taken.abort()
}

/** The outcome of the work, or a rejection with `late()` where it takes longer than `ms`; the work itself goes on. */
export async function withinLimit<T>(clock: Clock, ms: number, work: Promise<T>, late: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = startTimer(clock, ms, () => reject(late()))
    work.then(resolve, reject).finally(stop)
  })
}
