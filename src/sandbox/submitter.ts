import fs from 'node:fs/promises'
import path from 'node:path'
import type { z } from 'zod'
import { AttestdError } from '../core/errors.js'
import type { MediaType } from '../core/media-types.js'
import type { Turnaround } from '../service/port.js'
import { bytes32Schema, timeReplySchema } from '../service/signed-key/schemas.js'
import { HELPER_DEADLINE_MS } from './choices.js'
import { expectedSignature } from './signature-check.js'
import { RegisterReply, UploadReply } from './wire.js'

const UPLOAD_TARGET = '/api/media/upload'
const REGISTER_TARGET = '/api/v1/submitter/media'

/** Kinds by file name, for the submitter who knows the own files; the service never looks at names. */
const MEDIA_TYPES_BY_EXTENSION: Readonly<Record<string, MediaType>> = {
  '.jpg': 'image',
  '.jpeg': 'image',
  '.png': 'image',
  '.webp': 'image',
  '.gif': 'image',
  '.avif': 'image',
  '.tif': 'image',
  '.tiff': 'image',
  '.wav': 'audio',
  '.mp3': 'audio',
  '.flac': 'audio',
  '.ogg': 'audio',
  '.m4a': 'audio',
  '.mp4': 'video_short',
  '.webm': 'video_short',
  '.mov': 'video_short',
  '.mkv': 'video_short',
  '.txt': 'text',
}

export interface SubmitterOptions {
  /** Origin of the sandbox. */
  readonly url: string
  readonly accessKey: string
  readonly signingSecret: string
  /** @default 'Service' */
  readonly headerPrefix?: string
  /** @default the global one */
  readonly fetch?: typeof fetch
}

export interface SubmittedFile {
  readonly file: string
  readonly assetId: string
  readonly mediaType: MediaType
  readonly contentHash: string
  readonly uri: string
  readonly bytes: number
}

export interface SubmitOptions {
  readonly title?: string
  readonly mediaContext?: string
  /** @default by the file's extension */
  readonly mediaType?: MediaType
  readonly turnaround?: Turnaround
  /** @default 12 h from service time */
  readonly deadlineInMs?: number
  readonly signal?: AbortSignal
}

/** The submitter's side over HTTP: uploads and registers files, signed with a submitter key. */
export class Submitter {
  readonly #options: SubmitterOptions

  constructor(options: SubmitterOptions) {
    this.#options = options
  }

  /** Uploads and registers one file. Throws `media-unsupported` where its kind is not known, `service-refused`. */
  async submitFile(file: string, options: SubmitOptions = {}): Promise<SubmittedFile> {
    const mediaType = options.mediaType ?? mediaTypeOf(file)
    if (mediaType === null) throw new AttestdError('media-unsupported', `The kind of ${file} is not known.`)
    const now = await this.#serviceTime(options.signal)
    const upload = await this.#upload(file, now, options.signal)
    const body = JSON.stringify({
      title: options.title ?? path.basename(file),
      mediaContext: options.mediaContext ?? '',
      contentHash: bytes32Schema.parse(upload.contentHash),
      uri: upload.uri,
      // A sandbox has no chain; any bytes32 stands for the contributor's attestation.
      contributorAttestationUid: upload.contentHash,
      verificationDeadline: new Date(now + (options.deadlineInMs ?? HELPER_DEADLINE_MS)).toISOString(),
      mediaType,
      turnaround: options.turnaround ?? 'standard',
    })
    const { asset } = await this.#post(REGISTER_TARGET, Buffer.from(body), 'application/json', RegisterReply, {
      now,
      signal: options.signal,
    })
    const { contentHash, uri, bytes } = upload
    return { file, assetId: asset.id, mediaType, contentHash, uri, bytes }
  }

  /** Submits every file of a folder whose kind is known, in the order of names, one after the other. */
  async *submitFolder(folder: string, options: SubmitOptions = {}): AsyncGenerator<SubmittedFile> {
    for (const name of (await fs.readdir(folder)).sort()) {
      if (mediaTypeOf(name) !== null) yield this.submitFile(path.join(folder, name), options)
    }
  }

  /** Unix milliseconds, so that neither signature nor deadline depends on the local clock. */
  async #serviceTime(signal: AbortSignal | undefined): Promise<number> {
    const { serverTime } = await this.#json(
      `${this.#options.url}/api/v1/time`,
      { signal: signal ?? null },
      timeReplySchema,
    )
    return serverTime
  }

  async #upload(file: string, now: number, signal: AbortSignal | undefined): Promise<z.infer<typeof UploadReply>> {
    const form = new FormData()
    form.set('file', new Blob([await fs.readFile(file)]), path.basename(file))
    // The bytes that are signed are the bytes that are sent, so the form is written out once.
    const encoded = new Response(form)
    const body = Buffer.from(await encoded.arrayBuffer())
    return this.#post(UPLOAD_TARGET, body, encoded.headers.get('content-type') ?? '', UploadReply, { now, signal })
  }

  #post<Shape extends z.ZodType>(
    target: string,
    body: Uint8Array<ArrayBuffer>,
    contentType: string,
    shape: Shape,
    { now, signal }: { now: number; signal: AbortSignal | undefined },
  ): Promise<z.infer<Shape>> {
    const { url, accessKey, signingSecret, headerPrefix = 'Service' } = this.#options
    const timestamp = `${now}`
    const headers = {
      'content-type': contentType,
      [`${headerPrefix}-Access-Key`]: accessKey,
      [`${headerPrefix}-Timestamp`]: timestamp,
      [`${headerPrefix}-Signature`]: expectedSignature(signingSecret, { timestamp, method: 'POST', target, body }),
    }
    return this.#json(`${url}${target}`, { method: 'POST', headers, body, signal: signal ?? null }, shape)
  }

  async #json<Shape extends z.ZodType>(url: string, init: RequestInit, shape: Shape): Promise<z.infer<Shape>> {
    const response = await (this.#options.fetch ?? fetch)(url, { ...init, redirect: 'error' })
    const text = await response.text()
    if (!response.ok) {
      throw new AttestdError('service-refused', `The sandbox answered ${response.status}: ${text.slice(0, 300)}`)
    }
    return shape.parse(JSON.parse(text))
  }
}

/** The kind that a file's extension stands for, or null. */
export function mediaTypeOf(file: string): MediaType | null {
  return MEDIA_TYPES_BY_EXTENSION[path.extname(file).toLowerCase()] ?? null
}
