import type { Log } from '../../core/log.js'
import type { Reason } from '../../core/reasons.js'
import type { NamedCheck, Readiness } from '../../observe/health.js'
import type { Metrics } from '../../observe/metrics/metrics.js'

/** Where changes of readiness are reported. */
export interface ReadinessWatchOptions {
  readonly log: Log
  readonly metrics: Pick<Metrics, 'notReady' | 'ready'>
}

interface Failing {
  readonly reason: Reason
  readonly logged: boolean
}

/** Reports what `/readyz` would state, by the same reasons, to those who do not ask: the log and the metrics. */
export class ReadinessWatch {
  readonly #options: ReadinessWatchOptions
  readonly #failing = new Map<string, Failing>()
  /** Checks that have passed since the start. */
  readonly #passed = new Set<string>()

  constructor(options: ReadinessWatchOptions) {
    this.#options = options
  }

  /** Called with every look, about once a second. */
  look({ checks }: Readiness): void {
    for (const check of checks) this.#note(check)
  }

  #note({ name: check, ok, reason = 'internal-error', message }: NamedCheck): void {
    const { log, metrics } = this.#options
    const before = this.#failing.get(check)
    metrics.ready.set({ check }, ok ? 1 : 0)
    if (before && (ok || before.reason !== reason)) metrics.notReady.set({ check, reason: before.reason }, 0)
    if (ok) {
      this.#passed.add(check)
      this.#failing.delete(check)
      if (before?.logged) log.info({ check, reason: before.reason }, 'readiness check passed again')
      return
    }
    metrics.notReady.set({ check, reason }, 1)
    const repeats = before?.reason === reason
    // While the daemon starts each check fails for a moment, which is not reported.
    const logged = repeats || this.#passed.has(check)
    if (logged && !(repeats && before.logged)) log.warn({ check, reason, detail: message }, 'readiness check failed')
    this.#failing.set(check, { reason, logged })
  }
}
