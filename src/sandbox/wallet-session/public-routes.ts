import type { FastifyRequest } from 'fastify'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import type { Address } from 'viem'
import type { KeyKind } from '../books/key-ring.js'
import { JSON_BODY_LIMIT_BYTES } from '../choices.js'
import { faultHooks } from '../faults/fault-hooks.js'
import { keepRawBody, parseJsonBody } from '../http/json-body.js'
import { Refusal } from '../http/refusal.js'
import { requireLoopback } from '../http/require-loopback.js'
import type { World } from '../world.js'
import { signerOf } from './personal-signature.js'
import { ChallengeQuery, ChallengeReply, HealthReply, plainRefusals, SessionBody, SessionReply } from './wire.js'

/** Host and port as a URL has them. */
const HOST_TEXT = /^[A-Za-z0-9.:[\]-]{1,255}$/

type App = Parameters<FastifyPluginAsyncZod>[0]

/** Routes without a session: health, challenge, and the session itself. */
export function publicRoutes(world: World): FastifyPluginAsyncZod {
  return async (app) => {
    keepRawBody(app, JSON_BODY_LIMIT_BYTES)
    app.addHook('preValidation', async (request) => parseJsonBody(app, request))
    app.get(
      '/health',
      {
        schema: { tags: ['session'], summary: 'Whether the service is there', response: { 200: HealthReply } },
        ...faultHooks(world, 'health'),
      },
      async () => ({ ok: true as const }),
    )
    challengeRoute(app, world)
    sessionRoute(app, world)
  }
}

function challengeRoute(app: App, world: World): void {
  app.get(
    '/v1/auth/challenge',
    {
      schema: {
        tags: ['session'],
        summary: 'A text for the wallet to sign',
        querystring: ChallengeQuery,
        response: { 200: ChallengeReply, ...plainRefusals(400) },
      },
      ...faultHooks(world, 'challenge'),
    },
    async (request, reply) => {
      reply.header('cache-control', 'no-store')
      const challenge = world.walletSession.challenges.issue(request.query.address as Address, hostOf(request))
      const { message, nonce, expiresAt } = challenge
      return { message, nonce, expiresAt: Math.floor(expiresAt / 1000) }
    },
  )
}

function sessionRoute(app: App, world: World): void {
  app.post(
    '/v1/auth/session',
    {
      schema: {
        tags: ['session'],
        summary: 'A session for the wallet that signed the challenge',
        body: SessionBody,
        response: { 200: SessionReply, ...plainRefusals(400, 401, 403, 413, 415, 503) },
      },
      ...faultHooks(world, 'session'),
    },
    async (request, reply) => {
      reply.header('cache-control', 'no-store')
      const { challenges, sessions } = world.walletSession
      const { message, address } = challenges.take(request.body.nonce)
      if ((await signerOf(message, request.body.signature)) !== address) {
        throw new Refusal('signature-invalid', 'The signature is not that of the challenge by its address.')
      }
      const { token, session } = sessions.issue(address, rolesOf(world, request, address))
      return { token, expiresAt: session.expiresAt, address, roles: [...session.roles] }
    },
  )
}

/** Roles of a wallet as the stake contract has them now. Refuses a wallet that has none, and where the chain is stopped. */
function rolesOf(world: World, request: FastifyRequest, address: Address): KeyKind[] {
  if (world.walletSession.authDisabled) {
    requireLoopback(request)
    return ['submitter', 'attester']
  }
  world.registry.head()
  const roles = world.registry.rolesOf(address)
  const held = (['submitter', 'attester'] as const).filter((role) => roles[role])
  if (held.length === 0) {
    throw new Refusal('role-missing', 'The wallet is registered neither as a contributor nor as a verifier.')
  }
  return held
}

function hostOf(request: FastifyRequest): string {
  const { host } = request.headers
  if (host !== undefined && HOST_TEXT.test(host)) return host
  throw new Refusal('request-invalid', 'headers: /host must be a host name or an address, with a port where it has one')
}
