import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { KeyKind } from '../books/key-ring.js'
import { bearerOf } from '../http/bearer-token.js'
import { Refusal } from '../http/refusal.js'
import { requireLoopback } from '../http/require-loopback.js'
import type { World } from '../world.js'
import type { WalletSession } from './session-issuer.js'

const BEARER_HINT = { headers: { 'www-authenticate': 'Bearer' } }

/** Puts the session before every route of this plugin: only wallets of this role pass. */
export function requireRole(app: FastifyInstance, world: World, role: KeyKind): void {
  app.decorateRequest('session', null)
  app.addHook('onRequest', async (request) => {
    request.setDecorator('session', admitted(world, request, role))
  })
}

/** The session of this request. */
export function sessionOf(request: FastifyRequest): WalletSession {
  return request.getDecorator<WalletSession>('session')
}

function admitted(world: World, request: FastifyRequest, role: KeyKind): WalletSession {
  const { authDisabled } = world.walletSession
  if (authDisabled) return developmentSession(world, request, role)
  const token = bearerOf(request)
  if (token === null) {
    throw new Refusal('session-invalid', 'A session token is required as Authorization: Bearer.', BEARER_HINT)
  }
  const session = readSession(world, token)
  refuseWithout(role, session)
  return session
}

/** The content of a token. Refuses one that is not of this service, or has expired. */
export function readSession(world: World, token: string): WalletSession {
  const { sessions } = world.walletSession
  const session = sessions.read(token)
  if (session === null) throw new Refusal('session-invalid', 'The session token is not of this service.', BEARER_HINT)
  if (sessions.hasExpired(session)) throw new Refusal('session-invalid', 'The session has expired.', BEARER_HINT)
  return session
}

/** Refuses a session whose wallet lacks the role. */
export function refuseWithout(role: KeyKind, session: WalletSession): void {
  if (!session.roles.includes(role)) throw new Refusal('role-missing', `This needs a wallet with the role ${role}.`)
}

/** Where authentication is disabled: the wallet of a valid token, else the default one of the role; for this machine only. */
function developmentSession(world: World, request: FastifyRequest, role: KeyKind): WalletSession {
  requireLoopback(request)
  const session = world.walletSession.sessions.read(bearerOf(request) ?? '')
  return {
    address: session?.address ?? world.wallets[role].address,
    roles: ['submitter', 'attester'],
    expiresAt: Number.MAX_SAFE_INTEGER,
  }
}
