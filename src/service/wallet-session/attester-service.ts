import { AttestdError, succeeds, toAttestdError } from '../../core/errors.js'
import { type Risk, roundedRisk, scoreValues } from '../../core/risk.js'
import { cleanText } from '../../core/text.js'
import { unlessAborted } from '../../core/time-limit.js'
import type { Asset, AttesterService, Receipt, Score, ServiceEvent } from '../port.js'
import { asRecord, type OnMalformed, outOfEnvelope } from '../record.js'
import type { ServiceParts } from '../service-parts.js'
import { shapeText } from '../shape-text.js'
import { readStream } from '../stream-reader.js'
import type { StreamSource } from '../stream-source.js'
import { ALGORITHM_MAX, NOTES_MAX } from '../wire-fields.js'
import { type AttestationTimeOptions, dateAttestation } from './attestation-time.js'
import type { StreamRequest, WalletSessionClient } from './client.js'
import { decodeEvent } from './events.js'
import { readAssets, readFound } from './reading.js'
import { attesterIn, riskIn, scoreIdIn } from './score-record.js'
import type { SessionKeeper } from './session.js'

/**
 * Makes the off-chain attestation of a score, as the JSON that travels.
 * @throws AttestdError wallet-*, signature-wrong or attestation-invalid.
 * @param time that it is dated to, Unix seconds
 */
export type Attest = (score: Score, time: number, signal?: AbortSignal) => Promise<Readonly<Record<string, unknown>>>

/** Parts made by `createWalletSessionService`, and what dates and makes attestations. */
export interface WalletSessionAttesterOptions extends AttestationTimeOptions {
  readonly client: WalletSessionClient
  readonly session: SessionKeeper
  readonly reading: ServiceParts['reading']
  readonly address: string
  readonly attest?: Attest | undefined
  readonly onMalformed?: OnMalformed | undefined
}

/** The wallet-session API behind the port. It states nothing about the stake, which stands in the stake contract. */
export class WalletSessionAttesterService implements AttesterService {
  readonly #options: WalletSessionAttesterOptions

  constructor(options: WalletSessionAttesterOptions) {
    this.#options = options
  }

  /** The list has no question for the own score: `myScore` is there only where records carry their scores. */
  async listOpen(
    { includeMyScore }: { includeMyScore: boolean },
    signal?: AbortSignal,
  ): Promise<{ assets: Asset[]; stake: null }> {
    const { address, client, onMalformed } = this.#options
    const values = await client.listOpen(signal)
    const reading = { source: 'answer', onMalformed } as const
    return {
      assets: await readAssets(values, includeMyScore ? { ...reading, attester: address } : reading),
      stake: null,
    }
  }

  async find(id: string, signal?: AbortSignal): Promise<Asset | null> {
    const { address, client } = this.#options
    const reply = await client.find(id, signal)
    return reply === null ? null : readFound(reply, id, address)
  }

  watch(signal: AbortSignal): AsyncIterable<ServiceEvent> {
    return readStream({ ...this.#options.reading, source: this.#streamSource() }, signal)
  }

  async submit(score: Score, signedAt: number, signal?: AbortSignal, lastLook?: () => void): Promise<Receipt> {
    const { address: attester, client } = this.#options
    const date = await dateAttestation(this.#options, signedAt, signal)
    const input = await this.#inputOf(score, date.time, signal)
    try {
      // A session or connection may take its time to open, and the process may be suspended meanwhile.
      const reply = await client.score(score.assetId, input, signal, () => {
        date.stillGood()
        lastLook?.()
      })
      return readReceipt(reply, { assetId: score.assetId, risk: roundedRisk(score.risk), attester })
    } catch (error) {
      throw date.judged(error)
    }
  }

  async #inputOf(score: Score, time: number, signal: AbortSignal | undefined) {
    const { attest } = this.#options
    if (!attest)
      throw new AttestdError(
        'setting-missing',
        'A score needs an attestation, and no attester is configured to make one.',
      )
    const { authenticityScore, deepfakeRiskBps } = scoreValues(score.risk)
    const algorithm = cleanText(score.algorithm, ALGORITHM_MAX)
    const notes = cleanText(score.notes, NOTES_MAX)
    // What is attested is what is sent, to the letter.
    // A wallet provider that takes its time must not hold up a stop: nothing was sent yet.
    const attesting = unlessAborted(attest({ ...score, algorithm, notes }, time, signal), signal)
    const attestation = await attesting.catch((error: unknown) => {
      throw signal?.aborted ? error : toAttestdError(error)
    })
    return { authenticityScore, deepfakeRiskBps, algorithm, notes, offchainAttestation: { ...attestation } }
  }

  #streamSource(): StreamSource {
    const { client, onMalformed, session } = this.#options
    let request: StreamRequest | null = null
    return {
      route: 'GET /v1/stream/open-assets',
      url: client.streamUrl,
      sign: async (signal) => {
        request = null
        request = await client.streamRequest(signal)
        return request.headers
      },
      decode: (event, eventSignal) => decodeEvent(event, { client, signal: eventSignal, onMalformed }),
      recover: async (signal) => {
        // Null where the session itself was refused: the stream was not asked for.
        if (!request) return false
        session.drop(request.token)
        request = null
        return succeeds(session.token(signal))
      },
    }
  }
}

/**
 * The receipt in the answer to a score, whose shape is not shown: the record itself, or what stands under `score`. What it
 * states must be ours; a risk that it does not state is the one that was sent.
 * @throws AttestdError service-reply-invalid, ambiguous, where it names another asset or attester, or states nothing of a score
 */
function readReceipt(
  reply: Record<string, unknown>,
  sent: { readonly assetId: string; readonly risk: Risk; readonly attester: string },
): Receipt {
  const opened = asRecord(outOfEnvelope(reply)) ?? reply
  const record = asRecord(opened.score) ?? opened
  const [attester, risk, scoreId] = [attesterIn(record), riskIn(record), scoreIdIn(record)]
  if (record.assetId !== undefined && String(record.assetId) !== sent.assetId) throw wrong('names another asset')
  if (attester !== null && attester !== sent.attester.toLowerCase()) throw wrong('names another attester')
  const isReceipt = record.assetId !== undefined || [attester, risk, scoreId].some((stated) => stated !== null)
  if (!isReceipt && record.ok !== true && record.success !== true)
    throw wrong(`does not state the score; it is ${shapeText(reply)}`)
  return { scoreId, risk: risk ?? sent.risk, attester }
}

const wrong = (what: string): AttestdError =>
  new AttestdError('service-reply-invalid', `The receipt ${what}.`, { ambiguous: true })
