import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { sameSecret } from '../../observe/http-access.js'
import type { KeyKind } from '../../service/signed-key/schemas.js'
import type { ApiKey } from '../books/key-ring.js'
import { parseJsonBody, rawBodyOf } from '../http/json-body.js'
import { Refusal } from '../http/refusal.js'
import { expectedSignature } from '../http/signature-check.js'
import type { World } from '../world.js'

export interface Caller {
  readonly key: ApiKey
  readonly wallet: string
}

/** What the headers of a signed request state; the signature is not yet checked. */
export interface Credentials {
  readonly key: ApiKey
  readonly timestamp: string
  readonly signature: string
}

const TIMESTAMP_TEXT = /^\d{1,16}$/

/** Puts signature, rate limit and stake gate before every route of this plugin; only keys of these kinds pass. */
export function requireSignature(app: FastifyInstance, world: World, ...kinds: KeyKind[]): void {
  app.decorateRequest('credentials', null)
  app.decorateRequest('caller', null)
  app.addHook('onRequest', async (request) => {
    request.setDecorator('credentials', readCredentials(world, request))
  })
  app.addHook('preValidation', async (request) => {
    const credentials = request.getDecorator<Credentials>('credentials')
    checkSignature(request, credentials, createHash('sha256').update(rawBodyOf(request)).digest('hex'))
    request.setDecorator('caller', admit(world, credentials.key, ...kinds))
    await parseJsonBody(app, request)
  })
}

export const callerOf = (request: FastifyRequest): Caller => request.getDecorator<Caller>('caller')

/** Finds the key and checks the time; the signature itself is checked when the body is there. */
export function readCredentials(world: World, request: FastifyRequest): Credentials {
  const accessKey = header(world, request, 'Access-Key')
  const timestamp = header(world, request, 'Timestamp')
  const signature = header(world, request, 'Signature')
  if (accessKey === null || timestamp === null || signature === null) {
    const names = ['Access-Key', 'Timestamp', 'Signature'].map((name) => `${world.options.headerPrefix}-${name}`)
    throw new Refusal('credentials-missing', `The headers ${names.join(', ')} are required.`)
  }
  const key = world.keys.find(accessKey)
  if (key === null) throw new Refusal('key-unknown', 'No key has this access key.')
  if (key.revokedAt !== null) throw new Refusal('key-revoked', 'This key was revoked.')
  checkTimestamp(world, timestamp)
  return { key, timestamp, signature }
}

/** Refuses a signature that is not that of the request, without a word on which part differs. @param bodySha256 lower-case hex */
export function checkSignature(
  request: FastifyRequest,
  { key, timestamp, signature }: Credentials,
  bodySha256: string,
): void {
  const { method } = request
  const expected = expectedSignature(key.signingSecret, {
    timestamp,
    method,
    target: request.raw.url ?? '',
    bodySha256,
  })
  if (!sameSecret(signature, expected))
    throw new Refusal('signature-invalid', 'The signature is not that of this request.')
}

/** 403. A submitter who asks for an asset that is not its own gets it too. @param kinds those that would pass */
export const wrongKind = (...kinds: KeyKind[]): Refusal =>
  new Refusal('key-kind-wrong', `This route needs a key of kind ${kinds.join(' or ')}.`)

/** The gates behind the signature: kind of key, rate limit, wallet, stake. */
export function admit(world: World, key: ApiKey, ...kinds: KeyKind[]): Caller {
  // A key can be revoked while its body is still arriving.
  if (key.revokedAt !== null) throw new Refusal('key-revoked', 'This key was revoked.')
  if (!kinds.includes(key.kind)) throw wrongKind(...kinds)
  const waitMs = world.limiter.take(key.accessKey)
  if (waitMs > 0) {
    const seconds = Math.max(1, Math.ceil(waitMs / 1000))
    throw new Refusal('rate-limited', 'Too many requests with this key.', { headers: { 'retry-after': `${seconds}` } })
  }
  if (key.wallet === null) throw new Refusal('wallet-not-linked', 'No wallet is linked to this key.')
  if (!world.registry.isEnough(key.wallet)) {
    const { stakedWei, minStakeWei } = world.registry.stakeOf(key.wallet)
    throw new Refusal('stake-below-minimum', `The wallet has ${stakedWei} wei at stake, ${minStakeWei} are needed.`)
  }
  return { key, wallet: key.wallet }
}

function checkTimestamp(world: World, timestamp: string): void {
  if (!TIMESTAMP_TEXT.test(timestamp)) {
    throw new Refusal('timestamp-invalid', 'The timestamp must be Unix time in milliseconds.')
  }
  const skewMs = Number(timestamp) - world.time.now()
  if (Math.abs(skewMs) <= world.options.timestampWindowMs) return
  const direction = skewMs > 0 ? 'ahead of' : 'behind'
  throw new Refusal(
    'timestamp-outside-window',
    `The timestamp is ${Math.abs(skewMs)} ms ${direction} service time, ${world.options.timestampWindowMs} are allowed.`,
  )
}

/** A header by its name or its `X-` alias; null where it is missing or empty. */
function header(world: World, request: FastifyRequest, name: string): string | null {
  const plain = `${world.options.headerPrefix}-${name}`.toLowerCase()
  const value = request.headers[plain] ?? request.headers[`x-${plain}`]
  return typeof value === 'string' && value !== '' ? value : null
}
