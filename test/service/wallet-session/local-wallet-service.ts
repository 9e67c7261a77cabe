import { randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { recoverMessageAddress } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { createSiweMessage } from 'viem/siwe'
import { onTestFinished } from 'vitest'
import type { AttestdError } from '../../../src/core/errors.js'
import type { Score } from '../../../src/service/port.js'
import {
  createWalletSessionService,
  type WalletSessionOptions,
} from '../../../src/service/wallet-session/create-wallet-session-service.js'
import type { SessionEvent } from '../../../src/service/wallet-session/session.js'
import { KeptLog } from '../../support/kept-log.js'
import { ManualClock } from '../../support/manual-clock.js'
import { defaultsFor, type Handler, LocalServer, type Seen, sendJson } from '../local-service.js'

export const CHAIN_ID = 84532
export const account = privateKeyToAccount(generatePrivateKey())
export const OTHER_ADDRESS = `0x${'e'.repeat(40)}`

/** What the service does beside its routes, changed by tests as they go. */
export class WalletWorld {
  /** Service time less the time of the test's clock, milliseconds. */
  offsetMs = 0
  lifetimeMs = 3_600_000
  roles: unknown = ['attester', 'submitter']
  /** Changes of the answers of the two routes of authentication. */
  challenge: Record<string, unknown> = {}
  session: Record<string, unknown> = {}
  /** Answers these statuses instead, the first first. */
  refuseChallenges: number[] = []
  refuseSessions: number[] = []
  /** Tokens that requests are answered for. */
  readonly accepted = new Set<string>()
  /** Every token, nonce and signature that there ever was. */
  readonly secrets: string[] = []
  readonly challenges = new Map<string, string>()
  /** Seconds by which the latest block is behind service time. */
  chainLagS = 0
  /** The answer to chain/latest instead of the block. */
  chain: { readonly status: number; readonly reply: unknown } | null = null

  constructor(readonly clock: ManualClock) {}

  /** Unix milliseconds. */
  now(): number {
    return this.clock.now() + this.offsetMs
  }

  /** Unix seconds. */
  get chainTime(): number {
    return Math.floor(this.now() / 1000) - this.chainLagS
  }
}

/** A real HTTP server that checks challenges, signatures and tokens by the test's own code. */
export async function startWalletService(world: WalletWorld, handler: Handler): Promise<LocalServer> {
  const server: LocalServer = await LocalServer.start((request, response) => {
    response.setHeader('date', new Date(world.now()).toUTCString())
    const url = new URL(request.target, server.url)
    if (url.pathname === '/health') return sendJson(response, 200, { ok: true })
    if (url.pathname === '/v1/auth/challenge') return giveChallenge(world, url, response)
    if (url.pathname === '/v1/auth/session') return giveSession(world, request, response)
    if (!world.accepted.has(String(request.headers.authorization).replace('Bearer ', ''))) {
      // As a careless service would, this one repeats the token.
      return sendJson(response, 401, { error: `invalid session ${request.headers.authorization}` })
    }
    if (url.pathname === '/v1/chain/latest') {
      if (world.chain) return sendJson(response, world.chain.status, world.chain.reply)
      return sendJson(response, 200, { chainId: CHAIN_ID, number: 7, timestamp: world.chainTime })
    }
    return handler(request, response)
  })
  return server
}

function giveChallenge(world: WalletWorld, url: URL, response: ServerResponse) {
  const refused = world.refuseChallenges.shift()
  if (refused) return sendJson(response, refused, { error: 'no challenge' })
  const nonce = randomBytes(12).toString('hex')
  const expiresAt = world.now() + 300_000
  const message = createSiweMessage({
    address: url.searchParams.get('address') as `0x${string}`,
    chainId: CHAIN_ID,
    domain: url.host,
    nonce,
    uri: url.origin,
    version: '1',
    statement: 'Open a session.',
    issuedAt: new Date(world.now()),
    expirationTime: new Date(expiresAt),
  })
  world.challenges.set(nonce, message)
  world.secrets.push(nonce)
  return sendJson(response, 200, { message, nonce, expiresAt: Math.floor(expiresAt / 1000), ...world.challenge })
}

async function giveSession(world: WalletWorld, request: Seen, response: ServerResponse) {
  const { nonce, signature } = JSON.parse(request.body) as { nonce: string; signature: `0x${string}` }
  world.secrets.push(signature)
  const refused = world.refuseSessions.shift()
  if (refused) return sendJson(response, refused, { error: `no session for ${nonce} with ${signature}` })
  const message = world.challenges.get(nonce)
  world.challenges.delete(nonce)
  if (message === undefined) return sendJson(response, 401, { error: 'unknown nonce' })
  const address = await recoverMessageAddress({ message, signature })
  const token = randomBytes(24).toString('base64url')
  world.accepted.add(token)
  world.secrets.push(token)
  const expiresAt = Math.floor((world.now() + world.lifetimeMs) / 1000)
  return sendJson(response, 200, { token, expiresAt, address, roles: world.roles, ...world.session })
}

/** A client of such a service, on a clock that the test moves, with everything that it reports. */
export async function bench(handler: Handler, options: Partial<WalletSessionOptions> = {}) {
  const clock = new ManualClock()
  const world = new WalletWorld(clock)
  const server = await startWalletService(world, handler)
  const log = new KeptLog()
  const malformed: { what: string; id: string | null; message: string }[] = []
  const sessions: SessionEvent[] = []
  const missing: AttestdError[] = []
  const attested: { score: Score; time: number }[] = []
  const built = createWalletSessionService({
    ...defaultsFor(server.url),
    requestTimeoutMs: 5_000,
    clock,
    random: () => 0.5,
    log,
    maxBlockAgeMs: 0,
    chainId: CHAIN_ID,
    signer: account,
    role: 'attester',
    attest: async (score, time) => {
      attested.push({ score, time })
      return { uid: '0x01', message: { time: String(time) } }
    },
    onMalformed: (event) => malformed.push(event),
    onSession: (event) => sessions.push(event),
    onRoleMissing: (error) => missing.push(error),
    ...options,
  })
  onTestFinished(() => server.stop())
  onTestFinished(built.close)
  const count = (route: string) => server.seen.filter(({ target }) => target.startsWith(route)).length
  return {
    ...built,
    world,
    server,
    clock,
    serviceClock: built.clock,
    log,
    malformed,
    sessions,
    missing,
    attested,
    count,
  }
}

/** Everything that an error says, through all of its causes. */
export function wholeText(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return [error.message, error.stack, JSON.stringify(error), wholeText(error.cause ?? '')].join('\n')
}

/** An asset with the fields that the specification states, and an id. */
export function specAsset(id: string, changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    id,
    ownerAddress: OTHER_ADDRESS,
    title: `Title of ${id}`,
    mediaContext: '',
    contentHash: `0x${'AB'.repeat(32)}`,
    uri: 'ipfs://bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy',
    contributorAttestationUid: `0x${'cd'.repeat(32)}`,
    verificationDeadline: '2026-01-01T12:00:00Z',
    status: 'open',
    ...changes,
  }
}
