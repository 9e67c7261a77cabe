import type { Clock } from './clock.js'

/** Exit codes of the command line, after sysexits.h where it has one. */
export const EXIT = {
  ok: 0,
  /** The work was done, but not all of it went well. */
  failed: 1,
  /** EX_USAGE: the command line is wrong. */
  usage: 64,
  /** EX_TEMPFAIL: something outside failed; a restart may help. */
  temporary: 75,
  /** EX_CONFIG: a setting or package is wrong; a restart cannot help. */
  config: 78,
} as const

/** The two stages of a stop, for verbs that run for long. */
export interface StopSignals {
  /** Aborts at the first SIGTERM or SIGINT: take no new work, finish what is active. */
  readonly drain: AbortSignal
  /** Aborts at the second one: leave at once. */
  readonly force: AbortSignal
  dispose(): void
}

/** Signals this close are one request, ms: Ctrl-C comes from terminal and npm, `timeout` signals child and group. */
const ONE_REQUEST_MS = 500

/** Listens for SIGTERM and SIGINT: the first drains, the second forces. */
export function listenForStop(clock: Pick<Clock, 'monotonic'>): StopSignals {
  const drain = new AbortController()
  const force = new AbortController()
  let firstAt = 0
  const onSignal = () => {
    if (!drain.signal.aborted) {
      firstAt = clock.monotonic()
      drain.abort()
    } else if (clock.monotonic() - firstAt >= ONE_REQUEST_MS) force.abort()
  }
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
  return {
    drain: drain.signal,
    force: force.signal,
    dispose() {
      process.off('SIGTERM', onSignal)
      process.off('SIGINT', onSignal)
    },
  }
}

export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
