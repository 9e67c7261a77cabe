import { createHash } from 'node:crypto'
import { z } from 'zod'
import { AttestdError } from '../core/errors.js'
import type { HttpCall } from './http.js'
import { isStatus } from './http-errors.js'
import { bytes32Schema, uriSchema } from './wire-fields.js'

/** Largest file that is sent, bytes: "up to 50 MB", in the larger reading (wallet-session-api.md, Limits). */
export const UPLOAD_MAX_BYTES = 50 * 1024 * 1024
/** An upload takes at most this long, milliseconds: 50 MB at 3.4 Mbit/s. */
const UPLOAD_TIMEOUT_MS = 120_000

export interface UploadFile {
  readonly name: string
  readonly content: Uint8Array
}

/** What an upload is answered with; fields beyond these are not shown. */
export const uploadReplySchema = z.looseObject({
  contentHash: bytes32Schema,
  uri: uriSchema,
})
/** The content hash of the uploaded file and where it lies, both of which its registration states. */
export type UploadReply = z.infer<typeof uploadReplySchema>

/** The body of an upload: multipart/form-data with the one field `file`, as exact bytes, since a signature covers them. */
export function uploadBody({
  name,
  content,
}: UploadFile): Required<Pick<HttpCall, 'contentType' | 'timeoutMs'> & { readonly body: Uint8Array }> {
  // A text that holds the digest of itself cannot be made, so this never stands in the content.
  const boundary = `attestd-${createHash('sha256').update(content).digest('hex').slice(0, 48)}`
  const head = [
    `--${boundary}`,
    `Content-Disposition: form-data; name="file"; filename="${safeName(name)}"`,
    'Content-Type: application/octet-stream',
    '',
    '',
  ].join('\r\n')
  return {
    body: Buffer.concat([Buffer.from(head), content, Buffer.from(`\r\n--${boundary}--\r\n`)]),
    contentType: `multipart/form-data; boundary=${boundary}`,
    timeoutMs: UPLOAD_TIMEOUT_MS,
  }
}

/** The error of a failed upload: `upload-refused` where it is the file that the service does not take. */
export function uploadError(error: unknown): unknown {
  const isFile = isStatus(error, 400, 413, 415, 422)
  return isFile ? new AttestdError('upload-refused', error.message, { facts: error.facts }) : error
}

/** Without what would end the header or its quotes. */
const safeName = (name: string): string => name.toWellFormed().replaceAll(/[\p{Cc}"\\]/gu, '_')
