import type { FastifyReply, FastifyRequest } from 'fastify'
import { hasZodFastifySchemaValidationErrors } from 'fastify-type-provider-zod'
import type { Log } from '../../core/log.js'
import { Refusal, type RefusalCode } from './refusal.js'

/** Any thrown value as the answer to the caller; what is not a refusal of ours reveals no internals. */
function asRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  if (hasZodFastifySchemaValidationErrors(error)) {
    const places = error.validation.map((issue) => `${issue.instancePath || '/'} ${issue.message ?? ''}`.trim())
    return new Refusal('request-invalid', `${error.validationContext ?? 'request'}: ${places.join('; ')}`)
  }
  const status = (error as { statusCode?: unknown }).statusCode
  if (typeof status === 'number' && status >= 400 && status < 500) {
    return new Refusal(codeOfStatus(status), (error as Error).message, { status })
  }
  return new Refusal('internal-error', 'The sandbox failed; see its log.')
}

/** The error handler of every route: `{ error: text }` on wallet-session, `{ error: { code, message } }` elsewhere. */
export function errorReply(log: Log) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const refusal = asRefusal(error)
    const { code, message } = refusal
    if (code === 'internal-error') log.error({ err: error, method: request.method }, 'sandbox route failed')
    return reply
      .code(refusal.statusCode)
      .headers(refusal.headers)
      .type('application/json; charset=utf-8')
      .serializer((body: unknown) => JSON.stringify(body))
      .send({ error: isWalletSessionTarget(targetOf(request)) ? message : { code, message } })
  }
}

const isWalletSessionTarget = (target: string): boolean => /^\/(?:health|v1)(?:[/?]|$)/.test(target)

/** The path of the route that was found, however it was spelled; else the target as sent. */
const targetOf = (request: FastifyRequest): string => request.routeOptions.url ?? request.raw.url ?? ''

function codeOfStatus(status: number): RefusalCode {
  if (status === 413) return 'body-too-large'
  if (status === 415 || status === 406) return 'media-type-unsupported'
  if (status === 404) return 'route-unknown'
  return 'body-invalid'
}
