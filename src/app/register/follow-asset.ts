import type { Clock } from '../../core/clock.js'
import { type AttestdError, toAttestdError } from '../../core/errors.js'
import type { Standing, SubmitterSide } from './submitter-side.js'

export type FollowEnd =
  | { readonly outcome: 'scored'; readonly scoreCount: number; readonly aggregate: unknown }
  /** It no longer accepts scores and has none, as far as the service shows it. */
  | { readonly outcome: 'closed' }
  /** The time to follow was over. */
  | { readonly outcome: 'not-scored' }
  /** The person who followed stopped. */
  | { readonly outcome: 'stopped' }
  | { readonly outcome: 'hidden'; readonly message: string }

/** `timeoutMs` counts from the call. Aborting `signal` is no error: following ends as `stopped`. */
export interface FollowOptions {
  readonly side: Pick<SubmitterSide, 'look'>
  readonly assetId: string
  readonly timeoutMs: number
  readonly clock: Clock
  readonly signal: AbortSignal
  /** Called with temporary trouble. */
  readonly onTrouble?: (error: AttestdError) => void
}

/** Pauses between looks, ms: short at first, since a waiting attester scores within a second. */
const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 5_000
const PAUSE_GROWTH = 1.4

/**
 * Looks at an asset again and again until it is scored or cannot be any more. Passing trouble is waited out.
 * @throws AttestdError what a retry cannot help
 */
export async function followAsset(options: FollowOptions): Promise<FollowEnd> {
  const { clock, signal, timeoutMs } = options
  const until = clock.monotonic() + timeoutMs
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * PAUSE_GROWTH, LONGEST_PAUSE_MS)) {
    if (signal.aborted) return { outcome: 'stopped' }
    const looked = await look(options)
    const end = looked.standing && endOf(looked.standing)
    if (end) return end
    const leftMs = until - clock.monotonic()
    if (leftMs <= 0) return { outcome: 'not-scored' }
    await clock.sleep(Math.min(Math.max(pauseMs, looked.waitMs), leftMs), signal).catch(() => undefined)
  }
}

/** One look; null where trouble that passes was in the way, with the wait that the service asks for. */
async function look({ assetId, onTrouble, side, signal }: FollowOptions) {
  try {
    return { standing: await side.look(assetId, signal), waitMs: 0 }
  } catch (caught) {
    const error = toAttestdError(caught)
    if (signal.aborted) return { standing: null, waitMs: 0 }
    if (error.kind !== 'retry' && error.kind !== 'wait') throw error
    onTrouble?.(error)
    return { standing: null, waitMs: error.retryAfterMs ?? 0 }
  }
}

function endOf(standing: Standing): FollowEnd | null {
  if (standing.state === 'hidden') return { outcome: 'hidden', message: standing.message }
  if (standing.state === 'gone') return { outcome: 'closed' }
  const { aggregate, scoreCount, state } = standing
  if (scoreCount > 0) return { outcome: 'scored', scoreCount, aggregate }
  return state === 'closed' ? { outcome: 'closed' } : null
}
