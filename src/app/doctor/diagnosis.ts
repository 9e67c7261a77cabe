import { toAttestdError } from '../../core/errors.js'

export interface Diagnosis {
  readonly check: string
  /** `skipped` where nothing fails by it: not set up, not needed, pointless after an earlier failure, or replaced by another. */
  readonly outcome: 'ok' | 'failed' | 'skipped'
  readonly message: string
  readonly fix?: string | undefined
}

/** Below this, ms, a check of something outside gives up. */
export const OUTSIDE_TIMEOUT_MS = 10_000

/** Runs a check; what it throws is what is wrong. */
export async function check(name: string, work: () => Promise<string>): Promise<Diagnosis> {
  try {
    return { check: name, outcome: 'ok', message: await work() }
  } catch (error) {
    return failed(name, error)
  }
}

/** What was thrown as a finding: message with the reason behind it, and what to do where the reason states it. */
export function failed(name: string, error: unknown): Diagnosis {
  const { fix, message, reason } = toAttestdError(error)
  return { check: name, outcome: 'failed', message: `${message}  [${reason}]`, fix }
}

/** A finding without an error. */
export function failure(name: string, message: string, fix: string): Diagnosis {
  return { check: name, outcome: 'failed', message, fix }
}

/** A check that was not run; it does not count as a failure. @param message why there was nothing to check */
export const skipped = (name: string, message: string): Diagnosis => ({ check: name, outcome: 'skipped', message })
