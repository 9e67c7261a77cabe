import { setTimeout as sleep } from 'node:timers/promises'
import { SettingsError } from '../../src/config/load.js'
import { AttestdError } from '../../src/core/errors.js'

/** What became of one input. */
export interface Verdict {
  /** `ok`, or a reason from the list, or what went wrong. */
  readonly outcome: string
  /** Why it must not have ended so; null where all is well. */
  readonly wrong: string | null
}

/** What an input may do at most. */
export interface Bounds {
  /** Longest time by the wall clock until it is settled, ms. */
  readonly limitMs: number
  /** Most processor time of this process that may pass at one go, ms; not looked at where absent. */
  readonly processorMs?: number
  /** Texts that no error may repeat, as they are known when it comes. */
  readonly secrets?: () => readonly string[]
}

/** Reasons that state no cause, or one inside of this program. */
const UNNAMED: ReadonlySet<string> = new Set(['internal-error', 'detector-failed', 'detector-crashed'])
const HANG = Symbol('hang')

/** Runs one input through a parser or room. Never throws. */
export async function judge(
  work: () => unknown,
  { limitMs, processorMs, secrets = () => [] }: Bounds,
): Promise<Verdict> {
  const before = process.cpuUsage()
  const verdict = await ended(work, limitMs, secrets)
  const { user, system } = process.cpuUsage(before)
  const spentMs = (user + system) / 1000
  if (verdict.wrong === null && processorMs !== undefined && spentMs > processorMs)
    return { outcome: 'slow', wrong: `took ${spentMs.toFixed(0)} ms of processor time` }
  return verdict
}

async function ended(work: () => unknown, limitMs: number, secrets: () => readonly string[]): Promise<Verdict> {
  const timer = new AbortController()
  try {
    const late = sleep(limitMs, HANG, { signal: timer.signal, ref: true }).catch(() => HANG)
    const first = await Promise.race([(async () => work())(), late])
    return first === HANG
      ? { outcome: 'hang', wrong: `was not settled after ${limitMs} ms` }
      : { outcome: 'ok', wrong: null }
  } catch (error) {
    return verdictOf(error, secrets())
  } finally {
    timer.abort()
  }
}

function verdictOf(error: unknown, secrets: readonly string[]): Verdict {
  if (secretIn(wholeText(error), secrets))
    return { outcome: 'secret', wrong: `an error repeats a secret: ${stackOf(error)}` }
  if (error instanceof SettingsError) return { outcome: error.problems[0]?.reason ?? 'refused', wrong: null }
  if (!(error instanceof AttestdError)) return { outcome: 'raw error', wrong: stackOf(error) }
  return ofReason(error.reason, stackOf(error.cause ?? error))
}

/** What a reason that was reported means, whether thrown or said. */
export function ofReason(reason: string, detail: string): Verdict {
  return { outcome: reason, wrong: UNNAMED.has(reason) ? `ended in ${reason}: ${detail}` : null }
}

/** Whether a text holds one of the secrets. */
export function secretIn(text: string, secrets: readonly string[]): boolean {
  return secrets.some((secret) => text.includes(secret))
}

/** All that a log line could show of an error: its message and facts, and those of its causes. */
function wholeText(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return [error.message, JSON.stringify(error), error.cause === undefined ? '' : wholeText(error.cause)].join('\n')
}

function stackOf(error: unknown): string {
  return (error instanceof Error ? (error.stack ?? error.message) : String(error)).slice(0, 2000)
}
