import { createHash, createHmac } from 'node:crypto'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import type { Sandbox, SandboxKey } from '../../../src/sandbox/create-sandbox.js'
import type { SandboxOptions } from '../../../src/sandbox/sandbox-options.js'
import {
  createSignedKeyService,
  type SignedKeyOptions,
  type SignedKeyService,
} from '../../../src/service/signed-key/attester-service.js'
import { defaultsFor } from '../../service/local-service.js'
import { startSandbox } from '../../support/sandbox.js'
import { type RawReply, REGISTRATION, type SignOptions, sendSigned } from '../../support/sandbox-requests.js'
import { type Recorded, WireRecorder } from '../../support/wire-recorder.js'

export const MEDIA = '/api/v1/attester/media'
export const STREAM = `${MEDIA}/stream`
export const REGISTER = '/api/v1/submitter/media'
export const KEYS = '/api/dashboard/api-keys'
export const BYTES32 = /^0x[0-9a-fA-F]{64}$/

export const HASH = `0x${'ab'.repeat(32)}`
/** An asset as the service sends it. */
export const WIRE_ASSET = {
  id: 'asset-1',
  title: 't',
  mediaContext: '',
  contentHash: HASH,
  uri: 'ipfs://bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy',
  status: 'open',
  mediaType: 'image',
  turnaround: 'standard',
  scoreCount: 0,
}
export const SCORE = { deepfakeRiskScore: 42.5, algorithm: 'conformance-1' }

/** A sandbox, real clients in front of it, and a recorder between the two. */
export class SignedKeyWorld {
  sandbox!: Sandbox
  wire!: WireRecorder
  attester!: SignedKeyService
  submitter!: SignedKeyService
  readonly #closing: (() => Promise<unknown>)[] = []

  async open(options: Partial<SandboxOptions>): Promise<void> {
    this.sandbox = await startSandbox({ rateLimit: null, snapshotDelayMs: 1, ...options })
    this.wire = await WireRecorder.start(this.sandbox.url)
    this.attester = this.client(this.sandbox.attesterKey)
    this.submitter = this.client(this.sandbox.submitterKey)
    this.#closing.push(
      () => this.wire.close(),
      () => this.sandbox.close(),
    )
  }

  /** A real client in front of the recorder. */
  client(key: Pick<SandboxKey, 'accessKey' | 'signingSecret'>, options: Partial<SignedKeyOptions> = {}) {
    const { accessKey, signingSecret } = key
    const service = createSignedKeyService({
      ...defaultsFor(this.wire.url),
      accessKey,
      signingSecret,
      ...options,
    })
    this.#closing.unshift(() => service.close())
    return service
  }

  /** A request of the attester that this test signs by hand. */
  asAttester(method: string, target: string, body?: unknown, options?: SignOptions): Promise<RawReply> {
    return this.signed(this.sandbox.attesterKey, method, target, body, options)
  }

  asSubmitter(method: string, target: string, body?: unknown, options?: SignOptions): Promise<RawReply> {
    return this.signed(this.sandbox.submitterKey, method, target, body, options)
  }

  signed(key: SandboxKey, method: string, target: string, body?: unknown, options?: SignOptions): Promise<RawReply> {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    return sendSigned(this.sandbox.url, key, { method, target, ...(body === undefined ? {} : { body: text }) }, options)
  }

  newAsset(name = 'file.png') {
    return this.sandbox.registerFile(name, { content: Buffer.from(`bytes of ${name} ${this.#nth++}`) })
  }

  async close(): Promise<void> {
    for (const close of this.#closing) await close()
  }

  #nth = 0
}

/** The world of one test file. */
export function signedKeyWorld(options: Partial<SandboxOptions> = {}): SignedKeyWorld {
  const world = new SignedKeyWorld()
  beforeAll(() => world.open(options))
  afterEach(() => {
    world.wire.stand = null
    world.sandbox.control.setClockOffset(0)
  })
  afterAll(() => world.close())
  return world
}

/** Computes the signature of a recorded request again, as the document says, and compares. */
export function expectSigned(request: Recorded, key: SandboxKey, prefix = 'service'): void {
  const header = (name: string) => request.headers[`${prefix}-${name}`] as string
  const digest = createHash('sha256').update(request.body, 'utf8').digest('hex')
  const payload = `${header('timestamp')}\n${request.method}\n${request.target}\n${digest}`
  const secret = Buffer.from(key.signingSecret, 'utf8')
  expect(header('access-key')).toBe(key.accessKey)
  expect(header('signature')).toBe(createHmac('sha256', secret).update(payload, 'utf8').digest('hex'))
}

/** One request of each private route, with the key that may send it, and one of the other kind and of another account. */
export function privateRequests(world: SignedKeyWorld, assetId: string) {
  const { attesterKey, submitterKey, control } = world.sandbox
  const anAttester = { ...control.createKey({ kind: 'attester' }), wallet: '' }
  const aSubmitter = { ...control.createKey({ kind: 'submitter' }), wallet: '' }
  return [
    { key: attesterKey, other: aSubmitter, method: 'GET', target: MEDIA },
    { key: attesterKey, other: aSubmitter, method: 'GET', target: `${MEDIA}/${assetId}` },
    { key: attesterKey, other: aSubmitter, method: 'GET', target: STREAM },
    { key: attesterKey, other: aSubmitter, method: 'POST', target: `${MEDIA}/${assetId}/scores`, body: SCORE },
    { key: submitterKey, other: anAttester, method: 'POST', target: REGISTER, body: REGISTRATION },
  ]
}
