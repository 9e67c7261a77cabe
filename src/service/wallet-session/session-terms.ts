import type { Session } from './schemas.js'

/** A session is renewed this long before it ends, milliseconds, but never before this share of its life is left. */
const RENEW_MARGIN_MS = 60_000
const RENEW_SHARE = 0.2
/** No session is renewed for its age sooner than this, milliseconds, whatever end it states. */
const MIN_AGE_MS = 1_000
/** A Date header states whole seconds, rounded down. */
const DATE_STEP_MS = 1_000

/** A session that the service issued, by the local monotonic clock, milliseconds. */
export interface SessionTerms {
  readonly openedAt: number
  readonly renewAt: number
  /** Infinity where the stated end makes no sense: it then lasts until it is refused. */
  readonly endsAt: number
}

/**
 * When a session is renewed and when it ends. Its end is stated in service time, so its life is measured against the
 * service's time where it states one, and only else against the local clock, which may be wrong: then the session is renewed
 * too often by at most once a second, or is found to have ended by a 401.
 * @param askedAt monotonic milliseconds at which it was asked for
 * @param nowMs Unix milliseconds, by the service's clock or else the local one
 */
export function termsOf({ expiresAt }: Pick<Session, 'expiresAt'>, askedAt: number, nowMs: number): SessionTerms {
  const lifeMs = expiresAt * 1000 - nowMs - DATE_STEP_MS
  if (lifeMs <= 0) return { openedAt: askedAt, renewAt: Number.POSITIVE_INFINITY, endsAt: Number.POSITIVE_INFINITY }
  const usedMs = lifeMs - Math.min(RENEW_MARGIN_MS, lifeMs * RENEW_SHARE)
  return {
    openedAt: askedAt,
    renewAt: askedAt + Math.max(MIN_AGE_MS, usedMs),
    endsAt: askedAt + Math.max(MIN_AGE_MS, lifeMs),
  }
}
