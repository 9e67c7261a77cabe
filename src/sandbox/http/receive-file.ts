import { createHash } from 'node:crypto'
import { finished } from 'node:stream/promises'
import fastifyMultipart from '@fastify/multipart'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { validatorCompiler } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { Refusal } from './refusal.js'

/** Fields and part headers around the file, bytes. */
const MULTIPART_OVERHEAD_BYTES = 64 * 1024

/** For the document alone: the body is read by the multipart parser. */
export const UploadBody = z.object({
  file: z.unknown().meta({ type: 'string', contentMediaType: 'application/octet-stream', description: 'The media.' }),
})

/** Makes the routes of this plugin take multipart bodies and no others. @param limit largest file, bytes */
export async function acceptFiles(app: FastifyInstance, limit: number): Promise<void> {
  app.setValidatorCompiler(bodyUnchecked)
  app.removeAllContentTypeParsers()
  app.addHook('preParsing', async (request, _reply, payload) => {
    if (Number(request.headers['content-length'] ?? 0) > multipartBodyLimit(limit)) throw tooLarge(limit)
    return payload
  })
  await app.register(fastifyMultipart, { limits: { fileSize: limit, files: 1, fields: 10, parts: 11 } })
}

/** The largest body whose file is not above the limit, bytes. */
export const multipartBodyLimit = (limit: number): number => limit + MULTIPART_OVERHEAD_BYTES

/**
 * The one file of a request, whole. Refuses one that is above the limit, empty, or not in the field `file`.
 * @returns its name as the client wrote it, unchecked, and what a signed upload signs: the whole body's SHA-256, lower-case hex
 */
export async function receiveFile(request: FastifyRequest, limit: number) {
  const digest = createHash('sha256')
  // The parser pipes the raw request; a second listener sees the same bytes and lets the pipe set the pace.
  request.raw.on('data', (chunk: Buffer) => digest.update(chunk))
  const part = await request.file({ throwFileSizeLimit: false }).catch(malformed)
  if (part === undefined) throw new Refusal('request-invalid', 'The multipart body has no file.')
  const content = await part.toBuffer().catch(malformed)
  if (part.file.truncated) throw tooLarge(limit)
  if (part.fieldname !== 'file') throw new Refusal('request-invalid', 'The field of the file must be named file.')
  if (content.byteLength === 0) throw new Refusal('request-invalid', 'The file is empty.')
  if (!request.raw.readableEnded) await finished(request.raw, { writable: false })
  return { name: part.filename, content, bodySha256: digest.digest('hex') }
}

/** The parser names by a status only what it looks for itself: not a missing boundary, nor a body that is cut short. */
function malformed(error: Error & { statusCode?: number }): never {
  if (error.statusCode !== undefined) throw error
  throw new Refusal('body-invalid', 'The multipart body is malformed.')
}

const tooLarge = (limit: number): Refusal => new Refusal('file-too-large', `A file may have at most ${limit} bytes.`)

const bodyUnchecked: typeof validatorCompiler = (part) =>
  part.httpPart === 'body' ? (body: unknown) => ({ value: body }) : validatorCompiler(part)
