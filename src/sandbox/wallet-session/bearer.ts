import type { FastifyInstance, FastifyRequest } from 'fastify'
import { sameSecret } from '../../observe/http-access.js'
import type { KeyKind } from '../../service/signed-key/schemas.js'
import { Refusal } from '../http/refusal.js'
import { requireLoopback } from '../http/require-loopback.js'
import type { World } from '../world.js'
import type { WalletSession } from './session-issuer.js'

export function bearerOf(request: FastifyRequest): string | null {
  const match = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')
  return match?.[1] ?? null
}

/** Puts the session before every route of this plugin: only wallets of this role pass. */
export function requireRole(app: FastifyInstance, world: World, role: KeyKind): void {
  app.decorateRequest('session', null)
  app.addHook('onRequest', async (request) => {
    request.setDecorator('session', admitted(world, request, role))
  })
}

export const sessionOf = (request: FastifyRequest): WalletSession => request.getDecorator<WalletSession>('session')

function admitted(world: World, request: FastifyRequest, role: KeyKind): WalletSession {
  if (world.options.disableAuth) return developmentSession(world, request, role)
  const session = readSession(world, bearerOf(request))
  refuseWithout(role, session)
  return session
}

/**
 * Whose bearer token a request to the dashboard and upload routes carries: the session of a wallet, or null for the
 * development account. Refuses with 401 one that is missing or neither.
 */
export function requireSession(world: World, request: FastifyRequest): WalletSession | null {
  const token = bearerOf(request)
  return token !== null && sameSecret(token, world.options.sessionToken) ? null : readSession(world, token)
}

export function refuseWithout(role: KeyKind, session: WalletSession): void {
  if (!session.roles.includes(role)) throw new Refusal('role-missing', `This needs a wallet with the role ${role}.`)
}

function readSession({ walletSession }: World, token: string | null): WalletSession {
  if (token === null) throw noSession('A session token is required as Authorization: Bearer.')
  const session = walletSession.sessions.read(token)
  if (session === null) throw noSession('The session token is not of this service.')
  if (walletSession.sessions.hasExpired(session)) throw noSession('The session has expired.')
  return session
}

const noSession = (message: string): Refusal =>
  new Refusal('session-invalid', message, { headers: { 'www-authenticate': 'Bearer' } })

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
