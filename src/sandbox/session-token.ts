import type { FastifyRequest } from 'fastify'
import { Refusal } from './refusal.js'
import { isSameSecret } from './signature-check.js'
import type { World } from './world.js'

/** Whether the request carries a bearer token at all. */
export function hasBearer(request: FastifyRequest): boolean {
  return bearerOf(request) !== null
}

/** Refuses with 401 unless the bearer token is the development account's session token. */
export function requireSession(world: World, request: FastifyRequest): void {
  const token = bearerOf(request)
  if (token !== null && isSameSecret(token, world.account.sessionToken)) return
  throw new Refusal('session-invalid', 'A valid session token is required as Authorization: Bearer.', {
    headers: { 'www-authenticate': 'Bearer' },
  })
}

function bearerOf(request: FastifyRequest): string | null {
  const match = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')
  return match?.[1] ?? null
}
