import { AttestdError } from '../../core/errors.js'
import type { Reason } from '../../core/reasons.js'
import type { HttpCaller } from '../http.js'
import { addressSchema, checked } from '../wire-fields.js'
import { type Challenge, challengeSchema, type Session, sessionRequestSchema, sessionSchema } from './schemas.js'
import { walletError } from './wallet-error.js'

const CHALLENGE_PATH = '/v1/auth/challenge'
const SESSION_PATH = '/v1/auth/session'
/** Refusals that pass by themselves; every other 4xx is about the wallet or its signature. */
const PASSING = new Set([408, 425, 429])

/**
 * The two public routes by which a wallet gets a session. Neither counts as a change: a session that nobody holds is
 * none, so no error of these is ambiguous.
 * @throws AttestdError service-unauthorized for every refusal that is about the wallet or
 * its signature, and role-missing for a session that the service itself refuses with 403
 */
export class AuthRoutes {
  readonly #origin: URL
  readonly #http: HttpCaller

  constructor(origin: URL, http: HttpCaller) {
    this.#origin = origin
    this.#http = http
  }

  async challenge(address: string, signal?: AbortSignal): Promise<Challenge> {
    const url = new URL(CHALLENGE_PATH, this.#origin)
    url.searchParams.set('address', checked(addressSchema, address))
    const call = { method: 'GET', url, route: `GET ${CHALLENGE_PATH}`, changes: false } as const
    return this.#http.json(call, challengeSchema, signal).catch(rethrow('service-forbidden'))
  }

  /** @param request the nonce of the challenge, and the wallet's EIP-191 signature of its message */
  async session(request: { nonce: string; signature: string }, signal?: AbortSignal): Promise<Session> {
    const call = {
      method: 'POST',
      url: new URL(SESSION_PATH, this.#origin),
      route: `POST ${SESSION_PATH}`,
      body: JSON.stringify(checked(sessionRequestSchema, request)),
      changes: false,
      secrets: [request.signature, request.nonce],
    } as const
    return this.#http.json(call, sessionSchema, signal).catch(rethrow('role-missing'))
  }
}

/** @param forbidden what a 403 is called */
function rethrow(forbidden: Reason): (error: unknown) => never {
  return (error) => {
    throw error instanceof AttestdError ? errorOfSession(error, forbidden) : error
  }
}

/**
 * The error for a session that was not issued. Its status goes by another name: it is not the answer of the route
 * that needed the session, which may read a 404 as an asset that is gone.
 */
function errorOfSession(
  { reason, message, cause, retryAfterMs, facts }: AttestdError,
  forbidden: Reason,
): AttestdError {
  const { status, withoutErrorBody, ...others } = facts
  const renamed = status === undefined ? others : { ...others, sessionStatus: status }
  // A process ends for want of a role: a 403 of a proxy must not do that.
  const named = withoutErrorBody === true ? 'service-forbidden' : forbidden
  return walletError(reasonOf(reason, status, named), message, { cause, facts: renamed, retryAfterMs })
}

function reasonOf(reason: Reason, status: unknown, forbidden: Reason): Reason {
  if (status === 403) return forbidden
  const isRefusal = typeof status === 'number' && status >= 400 && status < 500 && !PASSING.has(status)
  return isRefusal ? 'service-unauthorized' : reason
}
