import type { FastifyRequest } from 'fastify'

/** The bearer token of a request; null where it has none. */
export function bearerOf(request: FastifyRequest): string | null {
  const match = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')
  return match?.[1] ?? null
}
