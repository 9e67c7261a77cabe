import type { Clock } from '../core/clock.js'
import { toAttestdError } from '../core/errors.js'
import { type Reason, reasonEntry } from '../core/reasons.js'
import { SharedReading } from '../core/shared-reading.js'
import { withinLimit } from '../core/time-limit.js'
import { VERSION } from '../core/version.js'

export interface CheckResult {
  readonly ok: boolean
  /** Why not; with `ok`, a warning that does not affect readiness; absent when it is fine. */
  readonly reason?: Reason
  /** One sentence about this case. */
  readonly message: string
  /** Plain facts, such as ages and counts. Shown to whoever can reach the port: never secrets. */
  readonly detail?: Readonly<Record<string, string | number | boolean | null>>
  /** What a person can do about this case. @default that of the reason */
  readonly fix?: string | undefined
}

/** What stands before a check where people read it: fine, a warning, or not ready. */
export function checkSign({
  ok,
  reason,
}: {
  readonly ok: boolean
  readonly reason?: string | undefined
}): '✓' | '!' | '✗' {
  if (!ok) return '✗'
  return reason === undefined ? '✓' : '!'
}

/** Looks at one thing that readiness depends on; one that throws or takes longer than 2 s counts as not ready. */
export type Check = () => CheckResult | Promise<CheckResult>

export interface NamedCheck extends CheckResult {
  readonly name: string
}

/** The answer of `/readyz`: ready only where every check is fine; they stand in the order of their registration. */
export interface Readiness {
  readonly ready: boolean
  readonly checks: readonly NamedCheck[]
}

/** What `/readyz` and `/healthz` answer from; `app/daemon/readiness.ts` registers the checks. */
export interface Health {
  /** Adds a check; a later one of the same name replaces it. @param late reason where it does not end in time */
  register(name: string, check: Check, late?: Reason): void
  /** Runs all checks; not ready while none is registered. Calls within a second share one run, of a process that is not ready within a tenth. Never rejects. */
  readiness(): Promise<Readiness>
  /** Alive as long as this can be answered. */
  liveness(): { readonly alive: true; readonly version: string; readonly uptimeSeconds: number }
}

/** `clock` limits how long a check may take and how old a shared result is. */
export interface HealthOptions {
  readonly clock: Pick<Clock, 'monotonic' | 'sleep'>
  /** What a person can do about a check, by its reason. @default what the list of reasons states */
  readonly fixes?: Readonly<Partial<Record<Reason, string>>>
}

/** A check that takes longer counts as not ready, milliseconds. Probes usually wait for 1 to 5 s. */
const CHECK_TIMEOUT_MS = 2000
/** Results are shared for this long, milliseconds, so that many probes cost as much as one ... */
const SHARED_MS = 1000
/** ... and those of a process that is not ready for less, so that it is seen to be ready when it is. */
const NOT_READY_SHARED_MS = 100

/** Not ready until a check is registered; uptime counts from this call. */
export function createHealth({ clock, fixes = {} }: HealthOptions): Health {
  const started = clock.monotonic()
  const checks = new Map<string, { readonly check: Check; readonly late: Reason }>()
  const shared = new SharedReading<Readiness>({
    clock,
    keptMs: ({ ready }) => (ready ? SHARED_MS : NOT_READY_SHARED_MS),
  })

  async function run(): Promise<Readiness> {
    const running = [...checks].map(async ([name, { check, late }]) => ({
      name,
      ...withFix(await resultOf(check, late, clock), fixes),
    }))
    const results: NamedCheck[] = await Promise.all(running)
    return { ready: results.length > 0 && results.every(({ ok }) => ok), checks: results }
  }

  return {
    register(name, check, late = 'internal-error') {
      checks.set(name, { check, late })
      shared.forget()
    },
    readiness: () => shared.share(run),
    liveness: () => ({
      alive: true,
      version: VERSION,
      uptimeSeconds: Math.round((clock.monotonic() - started) / 1000),
    }),
  }
}

function withFix(result: CheckResult, fixes: NonNullable<HealthOptions['fixes']>) {
  return { ...result, fix: result.reason && (result.fix ?? fixes[result.reason] ?? reasonEntry(result.reason).fix) }
}

async function resultOf(check: Check, lateReason: Reason, clock: HealthOptions['clock']): Promise<CheckResult> {
  const late = (): CheckResult => {
    return { ok: false, reason: lateReason, message: `The check did not finish within ${CHECK_TIMEOUT_MS} ms.` }
  }
  try {
    return await withinLimit(clock, CHECK_TIMEOUT_MS, Promise.resolve().then(check), late)
  } catch (error) {
    const { fix, message, reason } = toAttestdError(error)
    return { ok: false, reason, message, fix }
  }
}
