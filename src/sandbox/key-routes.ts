import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { faultHooks } from './fault-hooks.js'
import { keepRawBody, parseJsonBody } from './json-body.js'
import { type ApiKey, maskedKey } from './key-ring.js'
import { SESSION } from './openapi.js'
import { Refusal } from './refusal.js'
import { requireSession } from './session-token.js'
import { CreateKeyBody, CreateKeyReply, RevokeKeyQuery, RevokeKeyReply, refusals } from './wire.js'
import type { World } from './world.js'

/** The dashboard's key routes: create and revoke, with the session token. */
export function keyRoutes(world: World): FastifyPluginAsyncZod {
  return async (app) => {
    keepRawBody(app, world.limits.jsonBodyBytes)
    app.addHook('onRequest', async (request) => requireSession(world, request))
    app.addHook('preValidation', async (request) => parseJsonBody(app, request))
    app.post(
      '/api/dashboard/api-keys',
      {
        schema: {
          tags: ['keys'],
          summary: 'Create a key',
          description: 'The key is bound to the wallet that the development account links for its kind.',
          security: SESSION,
          body: CreateKeyBody,
          response: { 200: CreateKeyReply, ...refusals(400, 401, 413, 415) },
        },
        ...faultHooks(world, 'keys'),
      },
      async (request) => {
        const { kind, label } = request.body
        const wallet = kind === 'attester' ? world.account.attesterWallet : world.account.submitterWallet
        return createdKeyView(world.keys.create({ kind, label, wallet }))
      },
    )
    app.delete(
      '/api/dashboard/api-keys',
      {
        schema: {
          tags: ['keys'],
          summary: 'Revoke a key',
          security: SESSION,
          querystring: RevokeKeyQuery,
          response: { 200: RevokeKeyReply, ...refusals(400, 401, 404) },
        },
        ...faultHooks(world, 'keys'),
      },
      async (request) => revoked(world, request.query.id),
    )
  }
}

/** Revokes by id. Refuses with 404 where there is no such key. */
export function revoked(world: World, id: string): { id: string; revoked: true } {
  if (world.keys.revoke(id) === null) throw new Refusal('key-not-found', 'No key has this id.')
  return { id, revoked: true }
}

/** A key as its creation shows it, the one time that the secret is seen. */
export function createdKeyView(key: ApiKey) {
  return {
    accessKey: key.accessKey,
    signingSecret: key.signingSecret,
    key: { id: key.id, display: maskedKey(key.accessKey), kind: key.kind, label: key.label, wallet: key.wallet },
    warning: 'Store the signing secret now: it is not shown again.',
  }
}
