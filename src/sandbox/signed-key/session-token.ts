import type { FastifyRequest } from 'fastify'
import { bearerOf } from '../http/bearer-token.js'
import { Refusal } from '../http/refusal.js'
import { isSameSecret } from '../http/signature-check.js'
import { readSession } from '../wallet-session/bearer.js'
import type { WalletSession } from '../wallet-session/session-issuer.js'
import type { World } from '../world.js'

/**
 * Whose bearer token a request to the dashboard and upload routes carries: the session of a wallet, or null for the
 * development account. Refuses with 401 one that is missing or neither.
 */
export function requireSession(world: World, request: FastifyRequest): WalletSession | null {
  const token = bearerOf(request)
  if (token !== null && isSameSecret(token, world.account.sessionToken)) return null
  if (token !== null) return readSession(world, token)
  throw new Refusal('session-invalid', 'A valid session token is required as Authorization: Bearer.', {
    headers: { 'www-authenticate': 'Bearer' },
  })
}
