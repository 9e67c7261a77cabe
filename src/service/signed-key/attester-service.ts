import { AttestdError } from '../../core/errors.js'
import type { Reason } from '../../core/reasons.js'
import { riskOfPercent, scoreValues } from '../../core/risk.js'
import { cleanText } from '../../core/text.js'
import type { Asset, AttesterService, Receipt, Score, ServiceEvent, Stake } from '../port.js'
import type { ServiceClock } from '../service-clock.js'
import { createServiceParts, type ServiceOptions, type ServiceParts } from '../service-parts.js'
import { readStream } from '../stream-reader.js'
import type { StreamSource } from '../stream-source.js'
import { ALGORITHM_MAX, NOTES_MAX } from '../wire-fields.js'
import { SignedKeyClient, type StreamRequest } from './client.js'
import { decodeEvent, readAssets, readFound, readStake } from './reading.js'
import type { Credentials } from './signature.js'

/** What this API needs beyond `ServiceOptions`; without both halves of a key signed routes throw `setting-missing`. */
export interface SignedKeyOptions extends ServiceOptions {
  /** Absent where only the public and dashboard routes are called. */
  readonly accessKey?: string | undefined
  readonly signingSecret?: string | undefined
  readonly headerPrefix?: string
}

/** The port with the parts behind it, which share one clock and are closed together. */
export interface SignedKeyService {
  readonly service: AttesterService
  readonly clock: ServiceClock
  readonly client: SignedKeyClient
  /** Breaks off what is still on its way and closes the connections. */
  close(): Promise<void>
}

/** The signed-key API v1 behind the port, with its clock. */
export function createSignedKeyService(options: SignedKeyOptions): SignedKeyService {
  const parts: ServiceParts = createServiceParts(options, {
    readTime: (signal) => client.time(signal),
    fixes: keyFixes(options),
  })
  const client = new SignedKeyClient({
    origin: parts.origin,
    credentials: credentialsOf(options),
    headerPrefix: options.headerPrefix ?? 'Service',
    http: parts.http,
    serviceClock: parts.clock,
  })
  const service = new SignedKeyAttesterService(client, parts, options)
  return { service, clock: parts.clock, client, close: parts.close }
}

const credentialsOf = ({ accessKey, signingSecret }: SignedKeyOptions): Credentials | undefined =>
  accessKey && signingSecret ? { accessKey, signingSecret } : undefined

class SignedKeyAttesterService implements AttesterService {
  readonly #client: SignedKeyClient
  readonly #parts: ServiceParts
  readonly #options: SignedKeyOptions

  constructor(client: SignedKeyClient, parts: ServiceParts, options: SignedKeyOptions) {
    this.#client = client
    this.#parts = parts
    this.#options = options
  }

  async listOpen(
    { includeMyScore }: { includeMyScore: boolean },
    signal?: AbortSignal,
  ): Promise<{ assets: Asset[]; stake: Stake | null }> {
    const { onMalformed } = this.#options
    const reply = await this.#client.list({ includeMyScore }, signal)
    return {
      assets: await readAssets(reply.assets, { asked: includeMyScore, source: 'answer', onMalformed }),
      stake: readStake(reply.stake, onMalformed),
    }
  }

  async find(id: string, signal?: AbortSignal): Promise<Asset | null> {
    const reply = await this.#client.find(id, signal)
    return reply === null ? null : readFound(reply, id)
  }

  async submit(score: Score, signedAt: number, signal?: AbortSignal, lastLook?: () => void): Promise<Receipt> {
    const request = {
      deepfakeRiskScore: scoreValues(score.risk).deepfakeRiskScore,
      algorithm: cleanText(score.algorithm, ALGORITHM_MAX),
      notes: cleanText(score.notes, NOTES_MAX),
    }
    const { score: record } = await this.#client.score(score.assetId, request, signedAt, signal, lastLook)
    if (record.assetId !== score.assetId) {
      throw new AttestdError('service-reply-invalid', 'The receipt names another asset.', { ambiguous: true })
    }
    const { attesterAddress: attester, deepfakeRiskScore, id: scoreId } = record
    return { scoreId, risk: riskOfPercent(deepfakeRiskScore), attester }
  }

  watch(signal: AbortSignal): AsyncIterable<ServiceEvent> {
    return readStream({ ...this.#parts.reading, source: this.#streamSource() }, signal)
  }

  #streamSource(): StreamSource {
    let signed: StreamRequest | null = null
    return {
      route: 'GET /api/v1/attester/media/stream',
      url: this.#client.streamUrl,
      sign: async (signal) => {
        signed = await this.#client.streamRequest(signal)
        return signed.headers
      },
      decode: (event) => decodeEvent(event, this.#options.onMalformed),
      recover: async (signal) => signed !== null && this.#client.recoverClock(signed.stamp, signal),
    }
  }
}

/** By its prefix (specification, API key): whose key it is, and which one the refused routes take. */
const KINDS = [
  { prefix: 'ak_att_', kind: 'an attester', other: 'To upload and register, use a submitter key (ak_sub_).' },
  { prefix: 'ak_sub_', kind: 'a submitter', other: 'To list and score, use an attester key (ak_att_).' },
] as const

/** What a person can do about the refusals of this API, by the key and header prefix in use. */
export function keyFixes({
  accessKey = '',
  headerPrefix = 'Service',
}: {
  readonly accessKey?: string | undefined
  readonly headerPrefix?: string | undefined
}): Readonly<Partial<Record<Reason, string>>> {
  const key = KINDS.find(({ prefix }) => accessKey.startsWith(prefix))
  const ofKind = key ? ` ATTESTD_ACCESS_KEY is ${key.kind} key (${key.prefix}). ${key.other}` : ''
  return {
    'service-unauthorized': `Check ATTESTD_ACCESS_KEY and ATTESTD_SIGNING_SECRET, and that the key was not revoked; a daemon reads a new key when it restarts. The headers were sent as ${headerPrefix}-Access-Key and so on; if the service uses another prefix, set ATTESTD_HEADER_PREFIX.`,
    'service-forbidden': `Check the stake and the wallet of the key in the dashboard of the service.${ofKind}`,
  }
}
