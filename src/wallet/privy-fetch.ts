import { z } from 'zod'
import type { Clock } from '../core/clock.js'
import { AttestdError, errorCode, errorText } from '../core/errors.js'
import { readBounded } from '../core/net/read-bounded.js'
import { parseRetryAfter } from '../core/retry.js'
import { jsonIn } from '../core/text.js'
import { startDeadline } from '../core/time-limit.js'

export interface PrivyFetchOptions {
  /** For one request with its whole answer, milliseconds. */
  readonly timeoutMs: number
  readonly clock: Clock
  /** Ends every request that is under way, with its own reason. */
  readonly signal?: AbortSignal | undefined
}

/** The answer to a signing request is some 300 bytes long. */
const MAX_REPLY_BYTES = 64 * 1024
/** Pause after a 429 that names none, milliseconds. */
const RATE_LIMIT_PAUSE_MS = 10_000
/** Codes of Privy are words such as `policy_violation`; anything else may repeat what was sent. */
const CODE = z.object({ code: z.string().regex(/^[a-z_]{1,60}$/) })
const SIGNED = z.object({ data: z.object({ signature: z.string() }) })

/**
 * The `fetch` that Privy's library is made to use: one request within one time limit, its size capped, never
 * redirected (the credentials would go along), and every answer but a signature as an `AttestdError` `wallet-*` that
 * repeats nothing that was sent. The library's own one loses Retry-After and cannot be stopped.
 */
export function createPrivyFetch(options: PrivyFetchOptions): typeof fetch {
  return async (input, init) => {
    const { clock, signal, timeoutMs } = options
    signal?.throwIfAborted()
    const late = () => unreachable(`did not answer within ${timeoutMs} ms`)
    const deadline = startDeadline(clock, timeoutMs, signal, late)
    try {
      const response = await fetch(input, { ...init, redirect: 'manual', signal: deadline.signal })
      const tooLarge = () => unreachable(`answered with more than ${MAX_REPLY_BYTES} bytes`)
      const body = await readBounded(response.body, MAX_REPLY_BYTES, tooLarge)
      return signatureReply(response, body.toString('utf8'), clock.now())
    } catch (error) {
      if (deadline.signal.aborted) throw deadline.signal.reason
      throw error instanceof AttestdError
        ? error
        : unreachable(`cannot be reached (${errorCode(error) ?? errorText(error)})`)
    } finally {
      deadline.clear()
    }
  }
}

/** The answer where it holds a signature. */
function signatureReply(response: Response, text: string, now: number): Response {
  const { headers, status } = response
  const body = jsonIn(text)
  if (!response.ok) throw refusal(status, CODE.safeParse(body).data?.code, headers.get('retry-after'), now)
  if (!SIGNED.safeParse(body).success) throw unreachable('answered without a signature')
  return new Response(text, { status, headers: { 'content-type': 'application/json' } })
}

function refusal(status: number, code: string | undefined, retryAfter: string | null, now: number): AttestdError {
  const asked = parseRetryAfter(retryAfter, now)
  const stated = `The wallet provider answered with ${status}${code ? ` (${code})` : ''}`
  const facts = { status, ...(code ? { code } : {}) }
  if (status === 429) {
    return new AttestdError('wallet-rate-limited', `${stated}.`, { facts, retryAfterMs: asked ?? RATE_LIMIT_PAUSE_MS })
  }
  if (status >= 500 || status === 408)
    return new AttestdError('wallet-unreachable', `${stated}.`, { facts, retryAfterMs: asked })
  if (status < 400) return new AttestdError('wallet-refused', `${stated}: redirects are not followed.`, { facts })
  return new AttestdError('wallet-refused', `${stated}.`, { facts, retryAfterMs: asked })
}

const unreachable = (why: string): AttestdError => new AttestdError('wallet-unreachable', `The wallet provider ${why}.`)
