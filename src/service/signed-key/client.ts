import { z } from 'zod'
import { AttestdError } from '../../core/errors.js'
import { bearer, callOf, type HttpCall, type HttpCaller, type Unsent } from '../http.js'
import { assetClosed, isStatus, nullIfGone } from '../http-errors.js'
import { assetRecordIn } from '../record.js'
import type { ClockStamp, ServiceClock } from '../service-clock.js'
import { type UploadFile, type UploadReply, uploadBody, uploadError, uploadReplySchema } from '../upload.js'
import { checked, encodeId, looseRecordSchema } from '../wire-fields.js'
import {
  type CreatedKey,
  createKeyReplySchema,
  createKeyRequestSchema,
  type Health,
  healthReplySchema,
  type KeyKind,
  listReplySchema,
  type RegisterRequest,
  registerRequestSchema,
  type ScoreReply,
  type ScoreRequest,
  scoreReplySchema,
  scoreRequestSchema,
  timeReplySchema,
} from './schemas.js'
import { type Credentials, signedHeaders } from './signature.js'

/** A 401 is laid to the clock where the signature's timestamp turns out to have been off by this much, milliseconds. */
const NOTICEABLE_MS = 500
/** A 401 does not ask for service time again within this time of the last answer, milliseconds. */
const FRESH_MS = 1_000

/** With an error body they prove that a score was not stored: 401 and 404 are what the specification states, 410 is a 404 for good. */
const NOT_STORED = [401, 404, 410]

const LIST_PATH = '/api/v1/attester/media'
const STREAM_PATH = `${LIST_PATH}/stream`
const KEYS_PATH = '/api/dashboard/api-keys'
const UPLOAD_PATH = '/api/media/upload'

/** Parts made by `createSignedKeyService`; `serviceClock` gives the timestamps that are signed. */
export interface SignedKeyClientOptions {
  readonly origin: URL
  /** Absent for the public and dashboard routes alone. */
  readonly credentials?: Credentials | undefined
  readonly headerPrefix: string
  readonly http: HttpCaller
  readonly serviceClock: ServiceClock
}

/** Unix milliseconds, whole. */
const timestampSchema = z.int().positive()

/** One connection to the event stream: its signature ages, so each connection asks for a new one. */
export interface StreamRequest {
  readonly headers: Readonly<Record<string, string>>
  readonly stamp: ClockStamp
}

/** The routes of the signed-key API v1 (specification, Endpoints) that attestd calls. Errors as of `HttpCaller.json`. */
export class SignedKeyClient {
  readonly #options: SignedKeyClientOptions

  constructor(options: SignedKeyClientOptions) {
    this.#options = options
  }

  // public routes

  /** The service's clock, Unix milliseconds. */
  async time(signal?: AbortSignal): Promise<number> {
    const { serverTime } = await this.#options.http.json(this.#open('/api/v1/time'), timeReplySchema, signal)
    return serverTime
  }

  async health(): Promise<Health> {
    return this.#options.http.json(this.#open('/api/v1/health'), healthReplySchema)
  }

  // attester routes

  /** Open assets and stake, each still unchecked; see `reading.ts`. */
  async list(
    { includeMyScore }: { includeMyScore: boolean },
    signal?: AbortSignal,
  ): Promise<{ assets: unknown[]; stake?: unknown }> {
    const target = includeMyScore ? `${LIST_PATH}?includeMyScore=1` : LIST_PATH
    return this.#signed({ method: 'GET', target, route: `GET ${LIST_PATH}` }, listReplySchema, signal)
  }

  /** One asset with the key's own score, still unchecked; null: not open. */
  async find(id: string, signal?: AbortSignal): Promise<unknown> {
    const target = `${LIST_PATH}/${encodeId(id)}?includeMyScore=1`
    const unsigned = { method: 'GET', target, route: `GET ${LIST_PATH}/:id` } as const
    return this.#signed(unsigned, looseRecordSchema, signal).catch(nullIfGone)
  }

  /**
   * Sends one score once: not again, whatever the answer; a 401 refreshes the clock for the next try. Throws
   * `asset-closed` for 404 and 410, and `request-invalid` before anything is sent.
   * @param signedAt service time that is signed, Unix milliseconds, whole
   * @param lastLook see `HttpCall`
   */
  async score(
    id: string,
    request: ScoreRequest,
    signedAt: number,
    signal?: AbortSignal,
    lastLook?: () => void,
  ): Promise<ScoreReply> {
    const target = `${LIST_PATH}/${encodeId(id)}/scores`
    const body = JSON.stringify(checked(scoreRequestSchema, request))
    const route = `POST ${LIST_PATH}/:id/scores`
    const unsigned = { method: 'POST', target, body, route, provenBy: NOT_STORED, lastLook } as const
    const headers = this.#sign(unsigned, checked(timestampSchema, signedAt))
    try {
      return await this.#options.http.json(this.#callOf(unsigned, headers), scoreReplySchema, signal)
    } catch (error) {
      if (isStatus(error, 404, 410)) throw assetClosed(error)
      if (isStatus(error, 401)) await this.#refreshClock(signal)
      throw error
    }
  }

  get streamUrl(): URL {
    return new URL(STREAM_PATH, this.#options.origin)
  }

  async streamRequest(signal?: AbortSignal): Promise<StreamRequest> {
    await this.#options.serviceClock.ready(signal)
    const stamp = this.#options.serviceClock.stamp()
    const headers = this.#sign({ method: 'GET', target: STREAM_PATH }, stamp.serviceMs)
    return { headers, stamp }
  }

  // submitter route

  /** Registers an asset. The answer's shape is not shown; this is the asset's record in it. */
  async register(request: RegisterRequest, signal?: AbortSignal): Promise<Record<string, unknown>> {
    const target = '/api/v1/submitter/media'
    const body = JSON.stringify(checked(registerRequestSchema, request))
    const unsigned = { method: 'POST', target, body, route: `POST ${target}` } as const
    const reply = await this.#signed(unsigned, looseRecordSchema, signal)
    return assetRecordIn(reply)
  }

  /**
   * Uploads a file, as a dashboard session where its token is given, else signed by the submitter key. The route's
   * shape is not shown; see `upload.ts`.
   * @throws AttestdError upload-refused for a file that the service does not take
   */
  async upload(file: UploadFile, sessionToken: string | undefined, signal?: AbortSignal): Promise<UploadReply> {
    const unsigned = { method: 'POST', target: UPLOAD_PATH, route: `POST ${UPLOAD_PATH}`, ...uploadBody(file) } as const
    try {
      if (sessionToken === undefined) return await this.#signed(unsigned, uploadReplySchema, signal)
      return await this.#options.http.json(this.#bearer(unsigned, sessionToken), uploadReplySchema, signal)
    } catch (error) {
      throw uploadError(error)
    }
  }

  // dashboard key routes

  /** @param sessionToken bearer token of the dashboard; how it is obtained is not shown */
  async createKey(request: { kind: KeyKind; label: string }, sessionToken: string): Promise<CreatedKey> {
    const body = JSON.stringify(checked(createKeyRequestSchema, request))
    const unsent = { method: 'POST', target: KEYS_PATH, route: `POST ${KEYS_PATH}`, body } as const
    return this.#options.http.json(this.#bearer(unsent, sessionToken), createKeyReplySchema)
  }

  /** @param id the key's id, not the access key */
  async revokeKey(id: string, sessionToken: string): Promise<void> {
    const target = `${KEYS_PATH}?id=${encodeURIComponent(id)}`
    const unsent = { method: 'DELETE', target, route: `DELETE ${KEYS_PATH}` } as const
    await this.#options.http.done(this.#bearer(unsent, sessionToken))
  }

  /**
   * Whether a 401 came from a wrong estimate of service time, which is corrected now: asks for service time again and
   * compares. Never throws.
   * @param stamp time of the refused signature
   */
  async recoverClock(stamp: ClockStamp, signal?: AbortSignal): Promise<boolean> {
    return (await this.#refreshClock(signal)) && this.#options.serviceClock.errorOf(stamp) > NOTICEABLE_MS
  }

  /** @returns whether service time could be read */
  async #refreshClock(signal?: AbortSignal): Promise<boolean> {
    try {
      await this.#options.serviceClock.refresh({ maxAgeMs: FRESH_MS, signal })
      return true
    } catch {
      return false
    }
  }

  async #signed<Shape extends z.ZodType>(
    unsigned: Unsent,
    shape: Shape,
    signal?: AbortSignal,
  ): Promise<z.output<Shape>> {
    const { http, serviceClock } = this.#options
    await serviceClock.ready(signal)
    const stamp = serviceClock.stamp()
    try {
      return await http.json(this.#callOf(unsigned, this.#sign(unsigned, stamp.serviceMs)), shape, signal)
    } catch (error) {
      // A 401 stored nothing, so even a registration may be sent once more where the timestamp was at fault.
      if (!isStatus(error, 401) || !(await this.recoverClock(stamp, signal))) throw error
      return http.json(this.#callOf(unsigned, this.#sign(unsigned, serviceClock.now())), shape, signal)
    }
  }

  /** @param timestamp service time, Unix milliseconds, whole */
  #sign(
    { method, target, body = '' }: Pick<Unsent, 'method' | 'target' | 'body'>,
    timestamp: number,
  ): Readonly<Record<string, string>> {
    const { credentials, headerPrefix } = this.#options
    if (!credentials) throw new AttestdError('setting-missing', 'This route needs an access key and a signing secret.')
    return signedHeaders(headerPrefix, credentials, { timestamp: String(timestamp), method, target, body })
  }

  #callOf(unsigned: Unsent, headers: Readonly<Record<string, string>>): HttpCall {
    return callOf(unsigned, this.#options.origin, headers, Object.values(headers))
  }

  #bearer(unsent: Unsent, sessionToken: string): HttpCall {
    return callOf(unsent, this.#options.origin, bearer(sessionToken), [sessionToken])
  }

  #open(target: string): HttpCall {
    return callOf({ method: 'GET', target, route: `GET ${target}` }, this.#options.origin)
  }
}
