import { isUtf8 } from 'node:buffer'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Refusal } from './refusal.js'

const NO_BODY = Buffer.alloc(0)

/** Keeps a JSON body as its bytes, which were signed; `parseJsonBody` reads them once the signature is checked. */
export function keepRawBody(app: FastifyInstance, limitBytes: number): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer', bodyLimit: limitBytes }, (_request, body, done) =>
    done(null, body),
  )
}

/** The bytes of the body before `parseJsonBody` ran; empty where there is none. */
export const rawBodyOf = (request: FastifyRequest): Buffer => (Buffer.isBuffer(request.body) ? request.body : NO_BODY)

/** Turns the kept bytes into the value; refuses what is not UTF-8 or not JSON, and keys that poison prototypes. */
export async function parseJsonBody(app: FastifyInstance, request: FastifyRequest): Promise<void> {
  if (!Buffer.isBuffer(request.body)) return
  const raw = request.body
  if (!isUtf8(raw)) throw new Refusal('body-invalid', 'The body is not UTF-8.')
  const parse = app.getDefaultJsonParser('error', 'error')
  request.body = await new Promise((resolve, reject) => {
    void parse(request, raw.toString('utf8'), (error, value) => (error ? reject(error) : resolve(value)))
  })
}
