import type { Readable } from 'node:stream'
import { Agent, type Dispatcher, request } from 'undici'
import type { Clock } from '../../core/clock.js'
import { AttestdError, errorText, isAbort } from '../../core/errors.js'
import { readBounded } from '../../core/net/read-bounded.js'
import { tlsFix } from '../../core/net/tls-failure.js'
import { cleanLine } from '../../core/text.js'
import { startDeadline, unlessAborted } from '../../core/time-limit.js'
import type { RemoteFileRuntime } from '../package/runtime.js'

/** Statuses that may pass by themselves: away, restarting, loading the model, too busy, or a token that was renewed. */
const PASSING_STATUSES = new Set([401, 403, 404, 408, 425, 429])
/** Longest piece of a server's own error text that is reported, characters. */
const MAX_SERVER_TEXT = 200

/** What a client of a model server needs in addition to its manifest; the token is the setting ATTESTD_DETECTOR_TOKEN. */
export interface ModelServerOptions {
  /** The package and, where the server has several, its model, for messages. */
  readonly of: string
  readonly clock: Clock
  /** Sent as a bearer token; null where there is none. */
  readonly token: string | null
}

interface Answer {
  readonly body: Buffer
  readonly headers: Dispatcher.ResponseData['headers']
}

/** One server that detectors ask, with the limits of the manifest. */
export class ModelServer {
  readonly #agent = new Agent({ connections: 1, pipelining: 1 })

  constructor(
    readonly limits: Pick<RemoteFileRuntime, 'url' | 'timeoutMs' | 'maxReplyBytes'>,
    readonly options: ModelServerOptions,
  ) {}

  /** @throws AttestdError detector-unreachable, detector-failed */
  async ask(
    method: 'GET' | 'POST',
    url: string,
    headers: Readonly<Record<string, string>> = {},
    body: Buffer | Readable | null = null,
  ): Promise<Answer> {
    const { timeoutMs } = this.limits
    const { clock, token } = this.options
    const deadline = startDeadline(clock, timeoutMs)
    try {
      // Redirects are not followed by `request`; the time limit is for the whole exchange.
      const sent = request(url, {
        method,
        headers: { ...headers, ...(token === null ? {} : { authorization: `Bearer ${token}` }) },
        body,
        dispatcher: this.#agent,
        signal: deadline.signal,
      })
      // undici looks at the signal only once a connection stands.
      const reply = await unlessAborted(sent, deadline.signal)
      const answer = await this.#read(reply.body)
      this.#checkStatus(reply.statusCode, answer)
      return { body: answer, headers: reply.headers }
    } catch (error) {
      if (error instanceof AttestdError) throw error
      const how = isAbort(error) ? `did not answer within ${timeoutMs} ms` : `cannot be reached (${errorText(error)})`
      throw this.#unreachable(how, error)
    } finally {
      deadline.clear()
    }
  }

  get name(): string {
    return `The model server ${new URL(this.limits.url).origin} of ${this.options.of}`
  }

  #read(body: Dispatcher.ResponseData['body']): Promise<Buffer> {
    const { maxReplyBytes } = this.limits
    return readBounded(body, maxReplyBytes, () => {
      return new AttestdError('detector-failed', `${this.name} answered with more than ${maxReplyBytes} bytes.`)
    })
  }

  #checkStatus(status: number, body: Buffer): void {
    if (status >= 200 && status < 300) return
    const stated = cleanLine(body.subarray(0, 4 * MAX_SERVER_TEXT).toString('utf8'), MAX_SERVER_TEXT)
    const hint = status === 401 || status === 403 ? ' (its token is ATTESTD_DETECTOR_TOKEN)' : ''
    const how = `answered with ${status}${hint}${stated ? `: ${stated}` : ''}`
    if (status >= 500 || PASSING_STATUSES.has(status)) throw this.#unreachable(how)
    const redirect = status >= 300 && status < 400
    throw new AttestdError('detector-failed', `${this.name} ${redirect ? `${how} (redirects are not followed)` : how}.`)
  }

  #unreachable(how: string, cause?: unknown): AttestdError {
    const words = [`${this.name} ${how}.`, tlsFix(cause)].filter(Boolean).join(' ')
    return new AttestdError('detector-unreachable', words, { cause })
  }
}
