import { Agent, fetch, type Response } from 'undici'
import { RpcRequestError } from 'viem'
import type { Clock } from '../core/clock.js'
import { AttestdError, type AttestdErrorOptions, errorCode } from '../core/errors.js'
import { readBounded } from '../core/net/read-bounded.js'
import { lookupText, sharedLookup } from '../core/net/shared-lookup.js'
import { tlsFix } from '../core/net/tls-failure.js'
import { parseRetryAfter } from '../core/retry.js'
import { jsonIn } from '../core/text.js'
import { startDeadline } from '../core/time-limit.js'
import { ANSWERS, envelope, failedInContract, isBehind, type RpcError } from './rpc-answers.js'
import { endpointName, maskedEndpointText } from './rpc-text.js'

/**
 * Largest answer that is read, bytes; a block with the hashes of its transactions has some 200 kB. To parse a MiB of brackets
 * takes 30 ms.
 */
const MAX_ANSWER_BYTES = 1024 * 1024

export interface RpcCallerOptions {
  /** Of the endpoint, with its key. */
  readonly url: string
  /** For one call with its whole answer, ms. */
  readonly timeoutMs: number
  readonly clock: Clock
}

/**
 * JSON-RPC calls of one endpoint. viem's own transport limits neither the time of an answer's body nor what a message
 * reveals of the URL, so this takes its place under viem's clients.
 */
export class RpcCaller {
  readonly name: string
  readonly #options: RpcCallerOptions
  readonly #target: { readonly url: string; readonly headers: Readonly<Record<string, string>> }
  readonly #agent = new Agent({ connect: { lookup: sharedLookup } })
  #lastId = 0

  constructor(options: RpcCallerOptions) {
    this.#options = options
    this.name = endpointName(options.url)
    this.#target = withoutCredentials(options.url)
  }

  /**
   * The result of one call, whose shape was looked at.
   * @throws AttestdError rpc-unreachable, rpc-reply-invalid, viem's
   * `RpcRequestError` where the call failed in the contract, or the signal's reason
   */
  async call(method: string, params: unknown, signal?: AbortSignal): Promise<unknown> {
    this.#lastId += 1
    const id = this.#lastId
    const body = JSON.stringify({ jsonrpc: '2.0', id, method, params: params ?? [] })
    const { text, status, retryAfterMs } = await this.#timed(body, signal)
    const answer = envelope.safeParse(jsonIn(text))
    if (answer.success && 'error' in answer.data) throw this.#refusal(method, params, answer.data.error)
    if (status < 200 || status > 299) {
      throw this.#unreachable(`answered with status ${status}`, { retryAfterMs })
    }
    if (!answer.success || answer.data.id !== id) throw this.#invalid(method)
    const { result } = answer.data as { result: unknown }
    if (ANSWERS[method]?.safeParse(result).success === false) throw this.#invalid(method)
    return result
  }

  async close(): Promise<void> {
    await this.#agent.destroy()
  }

  async #timed(body: string, signal: AbortSignal | undefined) {
    const { clock, timeoutMs } = this.#options
    signal?.throwIfAborted()
    const deadline = startDeadline(clock, timeoutMs, signal)
    try {
      return await this.#send(body, deadline.signal)
    } catch (error) {
      if (signal?.aborted) throw signal.reason
      if (error instanceof AttestdError) throw error
      const how = deadline.passed
        ? `did not complete its answer in ${timeoutMs} ms`
        : `did not answer (${errorCode(error) ?? 'the connection broke'})`
      throw this.#unreachable(`${how}${lookupText(new URL(this.#target.url).hostname)}`, { fix: tlsFix(error) })
    } finally {
      deadline.clear()
    }
  }

  async #send(body: string, signal: AbortSignal) {
    const { url, headers } = this.#target
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
      body,
      // A redirect would carry the question elsewhere; its status is an answer that is not understood.
      redirect: 'manual',
      signal,
      dispatcher: this.#agent,
    })
    const retryAfterMs = parseRetryAfter(response.headers.get('retry-after'), this.#options.clock.now())
    return { text: await this.#text(response), status: response.status, retryAfterMs }
  }

  async #text(response: Response): Promise<string> {
    const body = await readBounded(response.body, MAX_ANSWER_BYTES, () => {
      return new AttestdError(
        'rpc-reply-invalid',
        `${this.name} returned an answer of more than ${MAX_ANSWER_BYTES} bytes`,
      )
    })
    return body.toString('utf8')
  }

  #refusal(method: string, params: unknown, { code, message, data }: RpcError): Error {
    const stated = maskedEndpointText(message, this.#options.url)
    const error = { code, message: stated, data }
    if (!failedInContract(error)) {
      return this.#unreachable(`refused ${method}: ${stated} (${code})`, {}, isBehind(error) ? { behind: true } : {})
    }
    return new RpcRequestError({ body: { method, params: params as unknown[] }, error, url: this.name })
  }

  #unreachable(
    what: string,
    options: Pick<AttestdErrorOptions, 'fix' | 'retryAfterMs'> = {},
    facts: { behind?: true } = {},
  ): AttestdError {
    return new AttestdError('rpc-unreachable', `${this.name} ${what}`, {
      facts: { endpoint: this.name, ...facts },
      ...options,
    })
  }

  #invalid(method: string): AttestdError {
    const message = `${this.name} returned a malformed answer to ${method}`
    return new AttestdError('rpc-reply-invalid', message, { facts: { endpoint: this.name } })
  }
}

/** fetch refuses a URL with credentials, so they travel as a header. */
function withoutCredentials(text: string) {
  const url = new URL(text)
  if (url.username === '' && url.password === '') return { url: url.href, headers: {} }
  const credentials = `${decoded(url.username)}:${decoded(url.password)}`
  url.username = ''
  url.password = ''
  return { url: url.href, headers: { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` } }
}

/** A part of a URL that is not well escaped is meant as it stands. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
