import type { Dispatcher, Response } from 'undici'
import { AttestdError, errorText } from '../core/errors.js'
import { lookupText } from '../core/net/shared-lookup.js'
import { connectionText, tlsFix } from '../core/net/tls-failure.js'
import { type Reason, reasonEntry } from '../core/reasons.js'
import { parseRetryAfter } from '../core/retry.js'
import { cleanText } from '../core/text.js'

/** Longest text of the service that is repeated in an error message, characters. */
const SERVICE_TEXT_MAX = 300

/** What can be done about an answer that is not of the API: a web page, or a route that is not there. */
export const NOT_THE_API = `What answers is not this API. ${reasonEntry('service-reply-invalid').fix}`

export type AnswerHeaders = Dispatcher.ResponseData['headers']

export interface Sent {
  /** Method and path template, for instance `GET /api/v1/attester/media/:id`: for logs and metrics. */
  readonly route: string
  /** Whether it changes something at the service, so that an unclear end is ambiguous. */
  readonly changes: boolean
  /** Statuses that, with an error body of the API, prove that the request changed nothing. @default every status but 408 and 5xx does */
  readonly provenBy?: readonly number[]
  /** Texts that must not come back in an error message, should the service repeat them. */
  readonly secrets?: readonly string[]
}

/** A response other than a success, as far as it matters here. */
interface ErrorResponse {
  readonly status: number
  readonly retryAfterMs: number | undefined
  /** Where a redirect leads. */
  readonly location?: string | undefined
  /** Text of the error body, empty where it was not read. */
  readonly body: string
}

/** State of one request that its error reports. */
export interface Flight {
  /** Whether the request may have left: nothing is on the wire before the connection stands. */
  started: boolean
  status: number | null
}

/**
 * The error that stands for an answer other than a success. On a changing request 5xx and 408 are ambiguous; where the
 * call states what proves that nothing was changed, so is every answer else, which a proxy may give after it passed the request on.
 */
export function errorOfResponse(
  { route, changes, provenBy, secrets = [] }: Sent,
  { status, retryAfterMs, body, location = '' }: ErrorResponse,
  fixes: Readonly<Partial<Record<Reason, string>>> = {},
): AttestdError {
  const stated = cleanText(masked(serviceText(body), secrets), SERVICE_TEXT_MAX)
  const reason = reasonOfStatus(status)
  const place = masked(location, secrets)
  const to = reason === 'service-redirected' && URL.canParse(place) ? ` to ${new URL(place).origin}` : ''
  const unproven = provenBy ? stated === '' || !provenBy.includes(status) : status >= 500 || status === 408
  return new AttestdError(reason, `${route} was answered with ${status}${to}${stated && `: ${stated}`}`, {
    retryAfterMs,
    fix: fixes[reason] ?? (status === 404 && stated === '' ? NOT_THE_API : undefined),
    ambiguous: changes && unproven,
    // Whatever stands before the service, such as a proxy, answers without the error body of the specification.
    facts: { status, route, ...(stated === '' ? { withoutErrorBody: true } : {}) },
  })
}

function reasonOfStatus(status: number): Reason {
  if (status >= 500) return 'service-failing'
  if (status >= 300 && status < 400) return 'service-redirected'
  if (status === 401) return 'service-unauthorized'
  if (status === 403) return 'service-forbidden'
  if (status === 408) return 'service-timeout'
  if (status === 409) return 'score-conflict'
  if (status === 425 || status === 429) return 'service-rate-limited'
  return status >= 400 ? 'service-refused' : 'service-reply-invalid'
}

/** The shape of error bodies is not shown: `error` or `message` where one is a string, or `error.message`; else nothing. */
function serviceText(body: string): string {
  try {
    const parsed: unknown = JSON.parse(body)
    const inner = field(parsed, 'error')
    const text = [inner, field(parsed, 'message'), field(inner, 'message')].find((value) => typeof value === 'string')
    return text === undefined ? '' : (text as string)
  } catch {
    return ''
  }
}

/** In the text as it is meant: JSON may write the characters of a secret in several ways. */
export const masked = (text: string, secrets: readonly string[]): string =>
  secrets.reduce((rest, secret) => rest.replaceAll(secret, '[redacted]'), text)

const field = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined

/** The error for an answer that is none of the API, or not of the stated shape. */
export function invalidReply({ route, changes }: Sent, what: string, fix?: string): AttestdError {
  const message = `The answer to ${route} cannot be used: ${what}`
  return new AttestdError('service-reply-invalid', message, { ambiguous: changes, facts: { route }, fix })
}

/** @throws AttestdError for an answer that is no event stream; its body is not read. @param sent the headers that were signed */
export function refuseUnlessStream(
  route: string,
  { body, headers, status }: Response,
  sent: Readonly<Record<string, string>>,
  localNow: number,
): void {
  const retryAfterMs = retryAfterOf(Object.fromEntries(headers), localNow)
  const secrets = Object.values(sent).map((value) => value.replace('Bearer ', ''))
  if (status !== 200) {
    const location = headers.get('location') ?? undefined
    throw errorOfResponse({ route, changes: false, secrets }, { status, retryAfterMs, body: '', location })
  }
  const type = headers.get('content-type') ?? 'none'
  // In lower case the way EventSource wants it, too.
  if (!body || !/^text\/event-stream\b/i.test(type)) {
    const stated = masked(type, secrets).slice(0, 100)
    throw new AttestdError('service-reply-invalid', `${route} has the content type ${stated}.`)
  }
}

/** The error for a request that ended without a whole answer; the signal's reason where nothing can have taken effect. */
export function brokenOff(
  { route, changes }: Sent,
  { started }: Flight,
  cause: unknown,
  {
    host,
    signal,
    timedOut,
    timeoutMs,
  }: { host: string; signal: AbortSignal | undefined; timedOut: boolean; timeoutMs: number },
): unknown {
  const ambiguous = changes && started
  const end = { cause, ambiguous, facts: { route } }
  if (signal?.aborted && !ambiguous) return signal.reason
  if (signal?.aborted) return new AttestdError('service-connection-lost', `${route} was aborted`, end)
  if (timedOut && started)
    return new AttestdError('service-timeout', `${route} had no complete answer after ${timeoutMs} ms`, end)
  if (timedOut)
    return new AttestdError(
      'service-unreachable',
      `${route} could not connect within ${timeoutMs} ms${lookupText(host)}`,
      end,
    )
  if (started) return new AttestdError('service-connection-lost', `${route} was interrupted: ${errorText(cause)}`, end)
  const text = connectText(cause)
  const isPlain = NO_TLS.test(text)
  const fix = isPlain ? NO_TLS_FIX : tlsFix(cause)
  const why = isPlain ? 'the port does not speak TLS' : `${text}${lookupText(host)}`
  return new AttestdError('service-unreachable', `${route} could not connect: ${why}`, { ...end, fix })
}

/** Words of OpenSSL for a port that answers in plain text. */
const NO_TLS = /wrong version number|packet length too long|record layer failure/i
const NO_TLS_FIX =
  'Begin ATTESTD_SERVICE_URL with http:// if the service is on this machine, or name its port for https.'

/** A connection that was tried on several addresses has an empty message; its code explains more. */
function connectText(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  const text = connectionText(error)
  return code && !text.includes(code) ? `${text} (${code})` : text
}

/** The wait that an answer asks for, ms; a date of Retry-After counts from the answer's Date, not the local clock. */
export const retryAfterOf = (headers: AnswerHeaders, localNow: number): number | undefined =>
  parseRetryAfter(String(headers['retry-after'] ?? ''), dateOf(headers) ?? localNow)

/** How long an answer lay in a cache since its Date, milliseconds; 0 where it does not state. */
export function ageOf({ age = '0' }: AnswerHeaders): number {
  const seconds = Number(age)
  return Number.isInteger(seconds) && seconds > 0 ? seconds * 1000 : 0
}

/** When an answer was sent by the sender's own clock, Unix milliseconds to the second; null where it does not state. */
export function dateOf({ date = '' }: AnswerHeaders): number | null {
  const ms = Date.parse(String(date))
  return Number.isNaN(ms) ? null : ms
}

/** For a request of one asset: null where it was answered with 404 or 410. @throws any other error */
export function nullIfGone(error: unknown): null {
  if (isStatus(error, 404, 410)) return null
  throw error
}

/** A score's refusal with 404 or 410. */
export const assetClosed = ({ message, facts, ambiguous }: AttestdError): AttestdError =>
  new AttestdError('asset-closed', message, { facts, ambiguous })

export const isStatus = (error: unknown, ...statuses: number[]): error is AttestdError =>
  error instanceof AttestdError && statuses.includes(Number(error.facts.status))
