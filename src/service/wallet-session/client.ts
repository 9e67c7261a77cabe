import { z } from 'zod'
import { AttestdError } from '../../core/errors.js'
import { bearer, callOf, type HttpCaller, type Unsent } from '../http.js'
import { assetClosed, isStatus, nullIfGone } from '../http-errors.js'
import { assetRecordIn } from '../record.js'
import { shapeText } from '../shape-text.js'
import {
  UPLOAD_MAX_BYTES,
  type UploadFile,
  type UploadReply,
  uploadBody,
  uploadError,
  uploadReplySchema,
} from '../upload.js'
import { checked, encodeId, looseRecordSchema, registrationSchema } from '../wire-fields.js'
import { type LatestBlock, readLatestBlock } from './chain-latest.js'
import { listIn } from './reading.js'
import { healthReplySchema, type ScoreInput, scoreInputSchema } from './schemas.js'
import type { SessionKeeper } from './session.js'

/** With an error body they prove that a score was not stored: 401, 403 and 404 are what the specification states, 410 is a 404 for good. */
const NOT_STORED = [401, 403, 404, 410]

const ASSETS_PATH = '/v1/assets'
const STREAM_PATH = '/v1/stream/open-assets'

/** Parts made by `createWalletSessionService`; `chainId` is the chain whose latest block is asked for. */
export interface WalletSessionClientOptions {
  readonly origin: URL
  readonly http: HttpCaller
  readonly session: SessionKeeper
  readonly chainId: number
}

/** One connection to the stream; a 401 on it drops the session that `token` belongs to. */
export interface StreamRequest {
  readonly headers: Readonly<Record<string, string>>
  /** In the headers; for `SessionKeeper.drop`. */
  readonly token: string
}

/**
 * Every route of the wallet-session API (specification, Endpoints). Errors as of `HttpCaller.json`, or why there is no
 * session, see `SessionKeeper.token`. A GET is repeated once after a 401, with a new session; nothing else is repeated.
 */
export class WalletSessionClient {
  readonly #options: WalletSessionClientOptions

  constructor(options: WalletSessionClientOptions) {
    this.#options = options
  }

  async health(): Promise<{ ok: boolean }> {
    const { http, origin } = this.#options
    return http.json(callOf({ method: 'GET', target: '/health', route: 'GET /health' }, origin), healthReplySchema)
  }

  // attester routes

  async chainLatest(signal?: AbortSignal): Promise<LatestBlock> {
    const { chainId } = this.#options
    const path = '/v1/chain/latest'
    return readLatestBlock(await this.#get(`${path}?chainId=${chainId}`, path, looseRecordSchema, signal), chainId)
  }

  /** The open assets, each still unchecked; see `reading.ts`. */
  async listOpen(signal?: AbortSignal): Promise<unknown[]> {
    return this.#list(`${ASSETS_PATH}/open`, `${ASSETS_PATH}/open`, signal)
  }

  /** One asset with its scores and their aggregate, still unchecked; null: unknown. */
  async find(id: string, signal?: AbortSignal): Promise<unknown> {
    const found = this.#get(`${ASSETS_PATH}/${encodeId(id)}`, `${ASSETS_PATH}/:id`, looseRecordSchema, signal)
    return found.catch(nullIfGone)
  }

  /**
   * Sends a score once; a 401 drops the session. @param lastLook see `HttpCall`
   * @throws asset-closed (404, 410), request-invalid before it is sent, and what `lastLook` throws
   */
  async score(
    id: string,
    input: ScoreInput,
    signal?: AbortSignal,
    lastLook?: () => void,
  ): Promise<Record<string, unknown>> {
    const target = `${ASSETS_PATH}/${encodeId(id)}/scores`
    const body = JSON.stringify(checked(scoreInputSchema, input))
    const route = `POST ${ASSETS_PATH}/:id/scores`
    const unsent = { method: 'POST', target, body, route, provenBy: NOT_STORED, lastLook } as const
    try {
      return await this.#once(unsent, looseRecordSchema, signal)
    } catch (error) {
      if (isStatus(error, 404, 410)) throw assetClosed(error)
      throw error
    }
  }

  get streamUrl(): URL {
    return new URL(STREAM_PATH, this.#options.origin)
  }

  async streamRequest(signal?: AbortSignal): Promise<StreamRequest> {
    const token = await this.#options.session.token(signal)
    return { headers: bearer(token), token }
  }

  // submitter routes

  /** Uploads a file. @throws AttestdError upload-refused for one that the service does not take, or is too large to be sent */
  async upload(file: UploadFile, signal?: AbortSignal): Promise<UploadReply> {
    const bytes = file.content.byteLength
    if (bytes > UPLOAD_MAX_BYTES) {
      throw new AttestdError(
        'upload-refused',
        `The file has ${bytes} bytes; at most ${UPLOAD_MAX_BYTES} can be uploaded.`,
      )
    }
    const target = '/v1/media/upload'
    try {
      const unsent = { method: 'POST', target, route: `POST ${target}`, ...uploadBody(file) } as const
      return await this.#once(unsent, uploadReplySchema, signal)
    } catch (error) {
      throw uploadError(error)
    }
  }

  /** Registers an asset of this wallet. The answer's shape is not shown; this is the asset's record in it. */
  async register(input: z.infer<typeof registrationSchema>, signal?: AbortSignal): Promise<Record<string, unknown>> {
    const asset = checked(registrationSchema, input)
    const body = JSON.stringify({ ...asset, ownerAddress: await this.#address(signal) })
    const unsent = { method: 'POST', target: ASSETS_PATH, route: `POST ${ASSETS_PATH}`, body } as const
    return assetRecordIn(await this.#once(unsent, looseRecordSchema, signal))
  }

  /** The assets of this wallet with score counts and aggregates, each still unchecked. */
  async byOwner(signal?: AbortSignal): Promise<unknown[]> {
    const path = `${ASSETS_PATH}/by-owner`
    return this.#list(`${path}?owner=${await this.#address(signal)}`, path, signal)
  }

  /** As the service spells it: an owner "must equal the authenticated address", which a service may compare as text. */
  async #address(signal: AbortSignal | undefined): Promise<string> {
    return (await this.#options.session.facts(signal)).address
  }

  async #list(target: string, path: string, signal?: AbortSignal): Promise<unknown[]> {
    const reply = await this.#get(target, path, z.unknown(), signal)
    const assets = listIn(reply)
    if (assets) return assets
    const what = `it holds no list; it is ${shapeText(reply)}`
    throw new AttestdError('service-reply-invalid', `The answer to GET ${path} cannot be used: ${what}`)
  }

  async #get<Shape extends z.ZodType>(
    target: string,
    path: string,
    shape: Shape,
    signal: AbortSignal | undefined,
  ): Promise<z.output<Shape>> {
    const unsent = { method: 'GET', target, route: `GET ${path}` } as const
    try {
      return await this.#once(unsent, shape, signal)
    } catch (error) {
      // Not where the session itself could not be opened: that is not the answer of this route.
      if (!isStatus(error, 401) || error.facts.route !== unsent.route) throw error
      return this.#once(unsent, shape, signal)
    }
  }

  async #once<Shape extends z.ZodType>(
    unsent: Unsent,
    shape: Shape,
    signal: AbortSignal | undefined,
  ): Promise<z.output<Shape>> {
    const { http, origin, session } = this.#options
    const token = await session.token(signal)
    try {
      return await http.json(callOf(unsent, origin, bearer(token), [token]), shape, signal)
    } catch (error) {
      if (isStatus(error, 401)) session.drop(token)
      throw error
    }
  }
}
