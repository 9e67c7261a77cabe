import type { Clock } from '../../core/clock.js'
import { AttestdError } from '../../core/errors.js'
import type { Reason } from '../../core/reasons.js'
import { isStatus } from '../http-errors.js'
import type { LatestBlock } from './chain-latest.js'
import { walletError } from './wallet-error.js'

/** How far the chain may be from the time that was recorded for the request, as a share of the window. */
const APART_SHARE = 0.5
/** From this share of the window on, a refused attestation may have been refused for its age. */
const OLD_SHARE = 0.5
/** Words by which a service states that it refuses the time of an attestation. */
const NAMES_TIME =
  /\b(?:expired|outdated|stale|too (?:old|late|early)|in the (?:past|future)|outside[\w\s]* window|(?:service|chain|block) time)\b/i

/** What an attestation's date is judged by: the chain's latest block and the window around service time. */
export interface AttestationTimeOptions {
  readonly latestBlock: (signal?: AbortSignal) => Promise<LatestBlock>
  readonly clock: Clock
  /** How far the time of an attestation may be from service time, milliseconds. */
  readonly windowMs: number
  /** Called where the chain seems ahead of service time: it never is, so service time must be read again. */
  readonly onAhead?: (() => void) | undefined
}

export interface AttestationDate {
  /** Unix seconds, whole. */
  readonly time: number
  /** @throws AttestdError clock-untrusted where it has left the window before it was sent, so that it could only be refused */
  stillGood(): void
  /**
   * What an error of the submission means: a validation failure (400, 422) of an attestation that is old by now, or that
   * the service lays to its time, is `clock-untrusted`, since a new try has a new date; others stay as they are.
   */
  judged(error: unknown): unknown
}

/**
 * Dates an attestation: by the time that was recorded for the request, but never ahead of the chain. Throws
 * `clock-untrusted` where the two are too far apart, so that the service would refuse it, or the chain's time is refused
 * or unreadable, which does not state the score; nothing was sent then.
 * @param signedAt Unix milliseconds of service time
 */
export async function dateAttestation(
  { latestBlock, clock, windowMs, onAhead }: AttestationTimeOptions,
  signedAt: number,
  signal?: AbortSignal,
): Promise<AttestationDate> {
  const startedAt = clock.monotonic()
  const { timestamp } = await latestBlock(signal).catch(rethrowUnread)
  const apartMs = Math.round(signedAt - timestamp * 1000)
  if (Math.abs(apartMs) > windowMs * APART_SHARE) {
    const side = apartMs > 0 ? 'behind' : 'ahead of'
    if (apartMs < 0) onAhead?.()
    throw new AttestdError(
      'clock-untrusted',
      `The chain is ${Math.abs(apartMs)} ms ${side} service time; nothing was sent.`,
    )
  }
  const time = Math.min(Math.floor(signedAt / 1000), timestamp)
  const ageMs = () => Math.round(signedAt - time * 1000 + clock.monotonic() - startedAt)
  return {
    time,
    stillGood: () => {
      if (ageMs() <= windowMs) return
      throw new AttestdError(
        'clock-untrusted',
        `The attestation was ${ageMs()} ms old when it was made; it was not sent.`,
      )
    },
    judged: (error) => {
      if (!isStatus(error, 400, 422)) return error
      if (ageMs() <= windowMs * OLD_SHARE && !NAMES_TIME.test(error.message)) return error
      const message = `The attestation was ${ageMs()} ms old: ${error.message}`
      return new AttestdError('clock-untrusted', message, {
        cause: error,
        facts: error.facts,
        ambiguous: error.ambiguous,
      })
    },
  }
}

/** Refusals that are about the route of the time alone, and pass with a release or a proxy. */
const OF_ROUTE: ReadonlySet<Reason> = new Set<Reason>([
  'service-refused',
  'service-redirected',
  'service-reply-invalid',
])

/** Never with the status of an answer to another route than the score's. */
function rethrowUnread(error: unknown): never {
  if (!(error instanceof AttestdError)) throw error
  const { reason, message, retryAfterMs, facts } = error
  const { status, ...others } = facts
  throw walletError(OF_ROUTE.has(reason) ? 'clock-untrusted' : reason, message, {
    cause: error,
    facts: status === undefined ? others : { ...others, timeStatus: status },
    retryAfterMs,
  })
}
