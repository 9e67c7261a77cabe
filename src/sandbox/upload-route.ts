import { createHash } from 'node:crypto'
import { finished } from 'node:stream/promises'
import fastifyMultipart from '@fastify/multipart'
import type { FastifyRequest } from 'fastify'
import { type FastifyPluginAsyncZod, validatorCompiler } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { admit, type Credentials, readCredentials, signedParts, wrongSignature } from './authenticate.js'
import { faultHooks } from './fault-hooks.js'
import { SESSION, SIGNED } from './openapi.js'
import { Refusal } from './refusal.js'
import { hasBearer, requireSession } from './session-token.js'
import { isSameSignature, signatureOverDigest } from './signature-check.js'
import { refusals, UploadReply } from './wire.js'
import type { World } from './world.js'

/** Fields and part headers around the file, bytes. */
const MULTIPART_OVERHEAD_BYTES = 64 * 1024

/** For the document alone: the body is read by the multipart parser. */
const UploadBody = z.object({
  file: z.unknown().meta({ type: 'string', contentMediaType: 'application/octet-stream', description: 'The media.' }),
})

const UploadQuery = z.object({
  wrap: z.enum(['0', '1']).optional().meta({ description: '1: the file lies in a UnixFS directory.' }),
  cidVersion: z.enum(['0', '1']).optional().meta({ description: 'Default 1, with raw leaves.' }),
})

interface UploadedFile {
  readonly name: string
  readonly content: Buffer
  /** Lower-case hex SHA-256 of the whole request body. */
  readonly bodySha256: string
}

/** Upload of media into the store behind the gateway. */
export function uploadRoute(world: World): FastifyPluginAsyncZod {
  return async (app) => {
    const limit = world.limits.uploadBytes
    app.setValidatorCompiler(bodyUnchecked)
    app.removeAllContentTypeParsers()
    app.decorateRequest('credentials', null)
    await app.register(fastifyMultipart, { limits: { fileSize: limit, files: 1, fields: 10, parts: 11 } })
    app.post(
      '/api/media/upload',
      {
        bodyLimit: limit + MULTIPART_OVERHEAD_BYTES,
        schema: {
          tags: ['media'],
          summary: 'Upload a file',
          description: `Multipart with one field \`file\` of at most ${limit} bytes. Authorized by the session token, or by a
submitter key: the signature then covers the SHA-256 of the raw multipart body, boundary and all.`,
          consumes: ['multipart/form-data'],
          security: [...SESSION, ...SIGNED],
          body: UploadBody,
          querystring: UploadQuery,
          response: { 200: UploadReply, ...refusals(400, 401, 403, 413, 415, 429) },
        },
        onRequest: async (request) => checkCredentials(world, request),
        ...faultHooks(world, 'upload'),
      },
      async (request) => {
        const file = await receive(request, limit)
        if (!hasBearer(request)) checkSignature(world, request, file.bodySha256)
        const stored = await world.media.add(file.content, file.name, {
          wrap: request.query.wrap === '1',
          cidVersion: request.query.cidVersion === '0' ? 0 : 1,
        })
        return { ...stored }
      },
    )
  }
}

const bodyUnchecked: typeof validatorCompiler = (part) =>
  part.httpPart === 'body' ? (body: unknown) => ({ value: body }) : validatorCompiler(part)

/** What can be checked before the body is there. */
function checkCredentials(world: World, request: FastifyRequest): void {
  if (hasBearer(request)) requireSession(world, request)
  else request.setDecorator('credentials', readCredentials(world, request))
}

function checkSignature(world: World, request: FastifyRequest, bodySha256: string): void {
  const credentials = request.getDecorator<Credentials>('credentials')
  const expected = signatureOverDigest(credentials.key.signingSecret, signedParts(request, credentials), bodySha256)
  if (!isSameSignature(credentials.signature, expected)) throw wrongSignature()
  admit(world, credentials.key, 'submitter')
}

async function receive(request: FastifyRequest, limit: number): Promise<UploadedFile> {
  const digest = createHash('sha256')
  // The parser pipes the raw request; a second listener sees the same bytes and lets the pipe set the pace.
  request.raw.on('data', (chunk: Buffer) => digest.update(chunk))
  const part = await request.file({ throwFileSizeLimit: false })
  if (part === undefined) throw new Refusal('request-invalid', 'The multipart body has no file.')
  const content = await part.toBuffer()
  if (part.file.truncated) throw new Refusal('file-too-large', `A file may have at most ${limit} bytes.`)
  if (part.fieldname !== 'file') throw new Refusal('request-invalid', 'The field of the file must be named file.')
  if (content.byteLength === 0) throw new Refusal('request-invalid', 'The file is empty.')
  if (!request.raw.readableEnded) await finished(request.raw, { writable: false })
  return { name: part.filename, content, bodySha256: digest.digest('hex') }
}
