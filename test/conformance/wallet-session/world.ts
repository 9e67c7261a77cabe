import { randomBytes } from 'node:crypto'
import type { Hex } from 'viem'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { attestScore } from '../../../src/chain/eas/attest.js'
import { easProfile } from '../../../src/chain/eas/profile.js'
import { asRisk, scoreValues } from '../../../src/core/risk.js'
import type { SandboxAsset } from '../../../src/sandbox/books/asset-book.js'
import type { Sandbox } from '../../../src/sandbox/create-sandbox.js'
import type { SandboxOptions } from '../../../src/sandbox/sandbox-options.js'
import type { Attest } from '../../../src/service/wallet-session/attester-service.js'
import {
  createWalletSessionService,
  type WalletSessionOptions,
  type WalletSessionService,
} from '../../../src/service/wallet-session/create-wallet-session-service.js'
import { openLocalWallet } from '../../../src/wallet/local-wallet.js'
import { defaultsFor } from '../../service/local-service.js'
import { handMadeAttestation, personalSign } from '../../support/hand-made-wallet.js'
import { startSandbox } from '../../support/sandbox.js'
import { type RawReply, REGISTRATION, send } from '../../support/sandbox-requests.js'
import { type Recorded, WireRecorder } from '../../support/wire-recorder.js'

export const ADDRESS = /^0x[0-9a-fA-F]{40}$/
export const BYTES32 = /^0x[0-9a-fA-F]{64}$/
export const HASH = `0x${'ab'.repeat(32)}`
/** An asset as the service sends it. */
export const WIRE_ASSET = {
  id: 'asset-1',
  ownerAddress: `0x${'1'.repeat(40)}`,
  title: 't',
  mediaContext: '',
  contentHash: HASH,
  uri: 'ipfs://bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy',
  contributorAttestationUid: HASH,
  verificationDeadline: '2099-01-01T00:00:00.000Z',
  status: 'open',
}
/** A wallet without any role. */
export const STRANGER = {
  address: '0x7e5f4552091a69125d5dfcb7b8c2659029395bdf',
  privateKey: `0x${'0'.repeat(63)}1` as Hex,
} as const

export type Role = 'attester' | 'submitter'
type Wallet = { readonly address: string; readonly privateKey: Hex }

interface HandRequest {
  readonly as?: Role
  readonly token?: string
  readonly body?: unknown
  readonly headers?: Record<string, string>
}

/** A sandbox, what a test needs to speak to it by hand, and a recorder for the real client. */
export class WalletSessionWorld {
  sandbox!: Sandbox
  wire!: WireRecorder
  readonly closing: (() => Promise<unknown>)[] = []
  readonly #tokens = new Map<string, string>()
  #nth = 0

  async open(options: Partial<SandboxOptions>): Promise<void> {
    this.sandbox = await startSandbox({ streamPollMs: 20, ...options })
    this.wire = await WireRecorder.start(this.sandbox.url)
    this.closing.push(
      () => this.wire.close(),
      () => this.sandbox.close(),
    )
  }

  get attester(): Wallet {
    return this.sandbox.wallets.attester
  }

  get submitter(): Wallet {
    return this.sandbox.wallets.submitter
  }

  get(target: string, request: HandRequest = {}): Promise<RawReply> {
    return this.send('GET', target, request)
  }

  post(target: string, body: unknown, request: HandRequest = {}): Promise<RawReply> {
    return this.send('POST', target, { ...request, body })
  }

  async send(method: string, target: string, { as, token, body, headers = {} }: HandRequest): Promise<RawReply> {
    const bearer = token ?? (as === undefined ? undefined : await this.token(as))
    return send(this.sandbox.url, {
      method,
      target,
      headers: {
        ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
  }

  challenge(address: string): Promise<RawReply> {
    return this.get(`/v1/auth/challenge?address=${address}`)
  }

  /** The whole way to a session by hand; the answer of the session route. */
  async signIn(wallet: Wallet): Promise<RawReply> {
    const { message, nonce } = (await this.challenge(wallet.address)).json
    return this.post('/v1/auth/session', { nonce, signature: await personalSign(message, wallet.privateKey) })
  }

  async token(role: Role): Promise<string> {
    const kept = this.#tokens.get(role)
    if (kept !== undefined) return kept
    const { token } = (await this.signIn(this[role])).json
    this.#tokens.set(role, token)
    return token
  }

  /** A score of an asset as a body by hand, with the attestation that fits it. */
  async score(asset: SandboxAsset, changes: Record<string, unknown> = {}, attested: Record<string, unknown> = {}) {
    const { privateKey } = this.attester
    const said = { assetId: asset.id, contentHash: asset.contentHash, deepfakeRiskBps: 4250, algorithm: 'hand-1' }
    return {
      authenticityScore: 57.5,
      deepfakeRiskBps: 4250,
      algorithm: 'hand-1',
      offchainAttestation: await handMadeAttestation({ privateKey, ...said, ...attested }),
      ...changes,
    }
  }

  async postScore(asset: SandboxAsset, changes?: Record<string, unknown>, attested?: Record<string, unknown>) {
    return this.post(`/v1/assets/${asset.id}/scores`, await this.score(asset, changes, attested), { as: 'attester' })
  }

  newAsset(): Promise<SandboxAsset> {
    const nth = this.#nth++
    return this.sandbox.registerFile(`file-${nth}.png`, { content: Buffer.from(`bytes of file ${nth}`) })
  }

  registration(changes: Record<string, unknown> = {}) {
    return { ownerAddress: this.submitter.address, ...REGISTRATION, ...changes }
  }

  /** A new client of the wallet with a role, in front of the recorder, without a session yet. */
  asAttester(options: Partial<WalletSessionOptions> = {}): WalletSessionService {
    return this.client(this.attester, options)
  }

  asSubmitter(options: Partial<WalletSessionOptions> = {}): WalletSessionService {
    return this.client(this.submitter, { role: 'submitter', ...options })
  }

  client({ privateKey }: Wallet, options: Partial<WalletSessionOptions> = {}): WalletSessionService {
    const made = createWalletSessionService({
      ...defaultsFor(this.wire.url),
      maxBlockAgeMs: 0,
      signer: openLocalWallet(privateKey),
      attest: attestWith(privateKey),
      chainId: 84_532,
      role: 'attester',
      ...options,
    })
    this.closing.unshift(() => made.close())
    return made
  }

  /** Every private route once by the real clients; @returns what they sent */
  async everyPrivateRequest(): Promise<Recorded[]> {
    const from = this.wire.requests.length
    const { id, contentHash } = await this.newAsset()
    const { ownerAddress: _, ...registration } = this.registration()
    const { client } = this.asSubmitter()
    await client.upload({ name: 'a.png', content: Buffer.from('some bytes') })
    await client.register(registration)
    await client.byOwner()
    const { service, clock } = this.asAttester()
    await clock.ready()
    await service.listOpen({ includeMyScore: true })
    await service.find(id)
    await service.submit(
      { assetId: id, contentHash, risk: asRisk(0.425), algorithm: 'a', notes: 'visage – 顔' },
      clock.now(),
    )
    const stop = new AbortController()
    for await (const event of service.watch(stop.signal)) if (event.kind === 'snapshot') stop.abort()
    const sent = this.wire.requests.slice(from).filter(({ target }) => !target.startsWith('/v1/auth/'))
    expect(new Set(sent.map(({ method, target }) => `${method} ${target.split('?')[0]}`)).size).toBe(8)
    return sent
  }

  async close(): Promise<void> {
    for (const close of this.closing) await close()
  }
}

/** What the app makes of a score and its time. */
function attestWith(privateKey: Hex): Attest {
  const profile = easProfile({
    chainId: 84_532,
    contract: '0x4200000000000000000000000000000000000021',
    domainVersion: '',
    attestationVersion: 2,
    schema: 'string assetId,bytes32 contentHash,uint16 deepfakeRiskBps,string algorithm',
    schemaUid: null,
  })
  return async ({ risk, assetId, contentHash, algorithm, notes }, time) => {
    const score = { ...scoreValues(risk), assetId, contentHash, algorithm, notes }
    return { ...(await attestScore(profile, openLocalWallet(privateKey), score, time, { randomBytes })) }
  }
}

/** The world of one test file. */
export function walletSessionWorld(options: Partial<SandboxOptions> = {}): WalletSessionWorld {
  const world = new WalletSessionWorld()
  beforeAll(() => world.open(options))
  afterEach(() => {
    world.wire.stand = null
    world.sandbox.control.setClockOffset(0)
  })
  afterAll(() => world.close())
  return world
}

interface PrivateRequest {
  readonly role: Role
  readonly other: Role
  readonly method: string
  readonly target: string
  readonly body?: unknown
}

/** One request of each private route, with the role that it needs. */
export function privateRequests(world: WalletSessionWorld, assetId: string): PrivateRequest[] {
  const attester = { role: 'attester', other: 'submitter' } as const
  const submitter = { role: 'submitter', other: 'attester' } as const
  return [
    { ...attester, method: 'GET', target: '/v1/chain/latest' },
    { ...submitter, method: 'POST', target: '/v1/media/upload', body: '' },
    { ...submitter, method: 'POST', target: '/v1/assets', body: world.registration() },
    { ...submitter, method: 'GET', target: `/v1/assets/by-owner?owner=${world.submitter.address}` },
    { ...attester, method: 'GET', target: '/v1/assets/open' },
    { ...attester, method: 'GET', target: `/v1/assets/${assetId}` },
    { ...attester, method: 'POST', target: `/v1/assets/${assetId}/scores`, body: {} },
    { ...attester, method: 'GET', target: '/v1/stream/open-assets' },
  ]
}
