import type { FastifyRequest } from 'fastify'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { createKeyReplySchema, type KeyKind } from '../../service/signed-key/schemas.js'
import { type ApiKey, maskedKey } from '../books/key-ring.js'
import { JSON_BODY_LIMIT_BYTES } from '../choices.js'
import { faultHooks } from '../faults/fault-hooks.js'
import { keepRawBody, parseJsonBody } from '../http/json-body.js'
import { SESSION, WALLET_SESSION } from '../http/openapi.js'
import { Refusal } from '../http/refusal.js'
import { CreateKeyBody, RevokeKeyQuery, RevokeKeyReply, refusals } from '../http/wire.js'
import { refuseWithout, requireSession } from '../wallet-session/bearer.js'
import type { WalletSession } from '../wallet-session/session-issuer.js'
import type { World } from '../world.js'

/** The dashboard's key routes: create and revoke, with the session token. */
export function keyRoutes(world: World): FastifyPluginAsyncZod {
  const shared = { tags: ['keys'], security: [...SESSION, ...WALLET_SESSION] }
  return async (app) => {
    keepRawBody(app, JSON_BODY_LIMIT_BYTES)
    app.decorateRequest('session', null)
    app.addHook('onRequest', async (request) => request.setDecorator('session', requireSession(world, request)))
    app.addHook('preValidation', async (request) => parseJsonBody(app, request))
    const creation = {
      ...shared,
      summary: 'Create a key',
      description:
        "The key is bound to the session's wallet, which must have the role; for the development account, to the wallet that it links for the kind.",
      body: CreateKeyBody,
      response: { 200: createKeyReplySchema, ...refusals(400, 401, 403, 413, 415) },
    }
    app.post('/api/dashboard/api-keys', { schema: creation, ...faultHooks(world, 'keys') }, async (request) => {
      const { kind, label } = request.body
      return createdKeyView(world.keys.create({ kind, label, wallet: walletOf(world, request, kind) }))
    })
    const revocation = {
      ...shared,
      summary: 'Revoke a key',
      description: "A wallet's session revokes keys of its own wallet alone.",
      querystring: RevokeKeyQuery,
      response: { 200: RevokeKeyReply, ...refusals(400, 401, 404) },
    }
    app.delete('/api/dashboard/api-keys', { schema: revocation, ...faultHooks(world, 'keys') }, async (request) => {
      refuseOthersKey(world, request, request.query.id)
      return revoked(world, request.query.id)
    })
  }
}

/** The wallet that a new key is bound to. Refuses a wallet's session without the role. */
function walletOf(world: World, request: FastifyRequest, kind: KeyKind): string {
  const session = request.getDecorator<WalletSession | null>('session')
  if (session === null) return world.account[kind]
  refuseWithout(kind, session)
  return session.address
}

/** Another wallet's key is as unknown to a wallet's session as one that does not exist. */
function refuseOthersKey(world: World, request: FastifyRequest, id: string): void {
  const session = request.getDecorator<WalletSession | null>('session')
  if (session !== null && world.keys.byId(id)?.wallet !== session.address) throw noSuchKey()
}

const noSuchKey = (): Refusal => new Refusal('key-not-found', 'No key has this id.')

export function revoked(world: World, id: string): { id: string; revoked: true } {
  if (world.keys.revoke(id) === null) throw noSuchKey()
  return { id, revoked: true }
}

/** A key as its creation shows it, the one time that the secret is seen. */
export function createdKeyView({ accessKey, signingSecret, id, kind, label, wallet }: ApiKey) {
  const key = { id, display: maskedKey(accessKey), kind, label, wallet }
  return { accessKey, signingSecret, key, warning: 'Store the signing secret now: it is not shown again.' }
}
