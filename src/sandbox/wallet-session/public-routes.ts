import type { FastifyRequest } from 'fastify'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { type Address, type Hex, recoverMessageAddress, slice } from 'viem'
import type { KeyKind } from '../../service/signed-key/schemas.js'
import { JSON_BODY_LIMIT_BYTES } from '../choices.js'
import { faultHooks } from '../faults/fault-hooks.js'
import { keepRawBody, parseJsonBody } from '../http/json-body.js'
import { Refusal } from '../http/refusal.js'
import { requireLoopback } from '../http/require-loopback.js'
import type { World } from '../world.js'
import { ChallengeQuery, ChallengeReply, HealthReply, plainRefusals, SessionBody, SessionReply } from './wire.js'

/** Half the order of secp256k1. Source: SEC 2, and the limit that EIP-2 puts on s. */
const MAX_S = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n
/** Host and port as a URL has them. */
const HOST_TEXT = /^[A-Za-z0-9.:[\]-]{1,255}$/

/** Routes without a session: health, challenge, and the session itself. */
export function publicRoutes(world: World): FastifyPluginAsyncZod {
  const tags = ['session']
  const { challenges, sessions } = world.walletSession
  return async (app) => {
    keepRawBody(app, JSON_BODY_LIMIT_BYTES)
    app.addHook('preValidation', async (request) => parseJsonBody(app, request))
    const health = { tags, summary: 'Whether the service is there', response: { 200: HealthReply } }
    app.get('/health', { schema: health, ...faultHooks(world, 'health') }, async () => ({ ok: true as const }))

    const asking = {
      tags,
      summary: 'A text for the wallet to sign',
      querystring: ChallengeQuery,
      response: { 200: ChallengeReply, ...plainRefusals(400) },
    }
    app.get('/v1/auth/challenge', { schema: asking, ...faultHooks(world, 'challenge') }, async (request, reply) => {
      reply.header('cache-control', 'no-store')
      const { message, nonce, expiresAt } = challenges.issue(request.query.address as Address, hostOf(request))
      return { message, nonce, expiresAt: Math.floor(expiresAt / 1000) }
    })

    const signIn = {
      tags,
      summary: 'A session for the wallet that signed the challenge',
      body: SessionBody,
      response: { 200: SessionReply, ...plainRefusals(400, 401, 403, 413, 415, 503) },
    }
    app.post('/v1/auth/session', { schema: signIn, ...faultHooks(world, 'session') }, async (request, reply) => {
      reply.header('cache-control', 'no-store')
      const { message, address } = challenges.take(request.body.nonce)
      if ((await signerOf(message, request.body.signature)) !== address) {
        throw new Refusal('signature-invalid', 'The signature is not that of the challenge by its address.')
      }
      const { token, session } = sessions.issue(address, rolesOf(world, request, address))
      return { token, expiresAt: session.expiresAt, address, roles: [...session.roles] }
    })
  }
}

/** Roles of a wallet as the stake contract has them now. Refuses a wallet that has none, and where the chain is stopped. */
function rolesOf(world: World, request: FastifyRequest, address: Address): KeyKind[] {
  if (world.options.disableAuth) {
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

/**
 * Whose EIP-191 signature of a text this is, in lower case; null where it is none. Of the two signatures that stand for
 * the same, only the one with the low s counts (EIP-2).
 */
async function signerOf(message: string, signature: Hex): Promise<string | null> {
  if (BigInt(slice(signature, 32, 64)) > MAX_S) return null
  try {
    return (await recoverMessageAddress({ message, signature })).toLowerCase()
  } catch {
    return null
  }
}
