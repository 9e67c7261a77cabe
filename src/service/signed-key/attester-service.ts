import { Agent } from 'undici'
import type { Clock, Random } from '../../core/clock.js'
import { AttestdError } from '../../core/errors.js'
import type { Log } from '../../core/log.js'
import { parseServiceUrl } from '../../core/service-url.js'
import { cleanText } from '../../core/text.js'
import { HttpCaller, type RequestEvent } from '../http.js'
import type { Asset, AttesterService, Receipt, Score, ServiceEvent, Stake } from '../port.js'
import { type ClockState, ServiceClock } from '../service-clock.js'
import { readStream, type StreamSource } from '../stream-reader.js'
import { SignedKeyClient, type StreamRequest } from './client.js'
import { decodeEvent } from './events.js'
import { type OnMalformed, readAssets, readFound, readStake } from './reading.js'
import type { Credentials } from './signature.js'

/** @default what the requests say they come from */
const USER_AGENT = 'attestd'
/** Longest algorithm label that is sent, characters; the specification says "short". */
const ALGORITHM_MAX = 200
/** Longest notes that are sent, characters; the specification names no limit. */
const NOTES_MAX = 2000

export interface SignedKeyOptions {
  /** Origin of the service. */
  readonly serviceUrl: string
  /** Takes plain http:// for other machines than this one. @default false */
  readonly allowInsecure?: boolean
  /** Absent where only the public and dashboard routes are called. */
  readonly accessKey?: string
  readonly signingSecret?: string
  /** @default 'Service' */
  readonly headerPrefix?: string
  /** How far a timestamp may be from service time, milliseconds. @default 30000 */
  readonly timestampWindowMs?: number
  /** Age at which the estimate of service time is renewed, milliseconds. @default 5 min */
  readonly clockRefreshMs?: number
  /** For one request with its whole answer, and for the headers of the stream, milliseconds. */
  readonly requestTimeoutMs: number
  /** Longest silence of the stream, milliseconds. */
  readonly streamIdleMs: number
  /** Largest answer and largest stream event, bytes. @default 16 MiB */
  readonly maxBytes?: number
  readonly userAgent?: string
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly onRequest?: (event: RequestEvent) => void
  readonly onMalformed?: OnMalformed
  readonly onClock?: (state: ClockState) => void
}

export interface SignedKeyService {
  readonly service: AttesterService
  readonly clock: ServiceClock
  /** Every route of the API, for the verbs that need more than the port. */
  readonly client: SignedKeyClient
  /** Breaks off what is still on its way and closes the connections. */
  close(): Promise<void>
}

/** The signed-key API v1 behind the port, with its clock. Throws `setting-invalid` for a service URL that is not accepted. */
export function createSignedKeyService(options: SignedKeyOptions): SignedKeyService {
  const { clock, log, maxBytes, onRequest, requestTimeoutMs } = options
  const origin = parseServiceUrl(options.serviceUrl, { allowInsecure: options.allowInsecure ?? false })
  const http = new HttpCaller({
    clock,
    timeoutMs: requestTimeoutMs,
    userAgent: options.userAgent ?? USER_AGENT,
    ...(maxBytes === undefined ? {} : { maxReplyBytes: maxBytes }),
    ...(onRequest === undefined ? {} : { onRequest }),
  })
  const serviceClock: ServiceClock = new ServiceClock({
    readTime: (signal) => client.time(signal),
    clock,
    log,
    windowMs: options.timestampWindowMs ?? 30_000,
    ...(options.clockRefreshMs === undefined ? {} : { refreshMs: options.clockRefreshMs }),
    ...(options.onClock === undefined ? {} : { onState: options.onClock }),
  })
  const client = new SignedKeyClient({
    origin,
    credentials: credentialsOf(options),
    headerPrefix: options.headerPrefix ?? 'Service',
    http,
    serviceClock,
  })
  // The reader has its own limits on headers and silence, and may pause for as long as its consumer works.
  const streamAgent = new Agent({ headersTimeout: 0, bodyTimeout: 0 })
  return {
    service: new SignedKeyAttesterService(client, streamAgent, options),
    clock: serviceClock,
    client,
    close: async () => {
      await Promise.all([http.close(), streamAgent.destroy()])
    },
  }
}

function credentialsOf({ accessKey, signingSecret }: SignedKeyOptions): Credentials | undefined {
  return accessKey && signingSecret ? { accessKey, signingSecret } : undefined
}

class SignedKeyAttesterService implements AttesterService {
  readonly #client: SignedKeyClient
  readonly #streamAgent: Agent
  readonly #options: SignedKeyOptions

  constructor(client: SignedKeyClient, streamAgent: Agent, options: SignedKeyOptions) {
    this.#client = client
    this.#streamAgent = streamAgent
    this.#options = options
  }

  async listOpen(
    { includeMyScore }: { includeMyScore: boolean },
    signal?: AbortSignal,
  ): Promise<{ assets: Asset[]; stake: Stake | null }> {
    const { onMalformed } = this.#options
    const reply = await this.#client.list({ includeMyScore }, signal)
    return {
      assets: readAssets(reply.assets, { asked: includeMyScore, onMalformed }),
      stake: readStake(reply.stake, onMalformed),
    }
  }

  async find(id: string, signal?: AbortSignal): Promise<Asset | null> {
    const reply = await this.#client.find(id, signal)
    return reply === null ? null : readFound(reply, id)
  }

  async submit(score: Score, signedAt: number, signal?: AbortSignal): Promise<Receipt> {
    const request = {
      deepfakeRiskScore: score.risk,
      algorithm: cleanText(score.algorithm, ALGORITHM_MAX),
      notes: cleanText(score.notes, NOTES_MAX),
    }
    const { score: record } = await this.#client.score(score.assetId, request, signedAt, signal)
    if (record.assetId !== score.assetId) {
      throw new AttestdError('service-reply-invalid', 'The receipt names another asset.', { ambiguous: true })
    }
    return {
      scoreId: record.id,
      assetId: record.assetId,
      risk: record.deepfakeRiskScore,
      how: 'accepted',
      attester: record.attesterAddress,
    }
  }

  watch(signal: AbortSignal): AsyncIterable<ServiceEvent> {
    const { clock, random, maxBytes, requestTimeoutMs, streamIdleMs } = this.#options
    return readStream(
      {
        source: this.#streamSource(),
        clock,
        random,
        dispatcher: this.#streamAgent,
        headerTimeoutMs: requestTimeoutMs,
        idleMs: streamIdleMs,
        ...(maxBytes === undefined ? {} : { maxEventBytes: maxBytes }),
      },
      signal,
    )
  }

  #streamSource(): StreamSource {
    let signed: StreamRequest | null = null
    return {
      route: 'GET /api/v1/attester/media/stream',
      open: async (signal) => {
        signed = await this.#client.streamRequest(signal)
        return { url: signed.url, headers: { 'user-agent': this.#options.userAgent ?? USER_AGENT, ...signed.headers } }
      },
      decode: (event) => decodeEvent(event, this.#options.onMalformed),
      mended: async (signal) => signed !== null && this.#client.mendedClock(signed.stamp, signal),
    }
  }
}
