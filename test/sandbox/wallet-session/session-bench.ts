import type { Hex } from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { attestScore } from '../../../src/chain/eas/attest.js'
import type { AttestedScore } from '../../../src/chain/eas/attestation.js'
import { type EasProfileOptions, easProfile } from '../../../src/chain/eas/profile.js'
import { asRisk, scoreValues } from '../../../src/core/risk.js'
import type { SandboxAsset } from '../../../src/sandbox/books/asset-book.js'
import type { Sandbox } from '../../../src/sandbox/create-sandbox.js'
import type { SandboxOptions } from '../../../src/sandbox/sandbox-options.js'
import { EAS } from '../../../src/sandbox/wallet-session/choices.js'
import { ManualClock } from '../../support/manual-clock.js'
import { startSandbox } from '../../support/sandbox.js'
import { type RawReply, REGISTRATION, send } from '../../support/sandbox-requests.js'

export const NOW = Date.UTC(2026, 0, 1)
/** A wallet without a role. */
export const STRANGER = privateKeyToAccount(`0x${'11'.repeat(32)}`)

export interface SessionRequest {
  readonly token?: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** How an attestation differs from one that fits the asset and its score. */
export interface AttestChanges {
  readonly signer?: PrivateKeyAccount
  readonly profile?: Partial<EasProfileOptions>
  readonly score?: Partial<AttestedScore>
  /** Unix seconds. @default service time */
  readonly time?: number
}

/** A sandbox at a time that stands still, and wallets that sign with viem. */
export class SessionBench {
  readonly clock = new ManualClock(NOW)
  sandbox!: Sandbox
  #nth = 0

  static async start(options: Partial<SandboxOptions> = {}): Promise<SessionBench> {
    const bench = new SessionBench()
    bench.sandbox = await startSandbox({ clock: bench.clock, ...options })
    return bench
  }

  /** One for all tests of a file; a test begins without the faults and roles of the one before. */
  static forAll(options: Partial<SandboxOptions> = {}): SessionBench {
    const bench = new SessionBench()
    beforeAll(async () => {
      bench.sandbox = await startSandbox({ clock: bench.clock, ...options })
    })
    beforeEach(() => bench.sandbox.control.reset())
    afterAll(() => bench.close())
    return bench
  }

  get attester(): PrivateKeyAccount {
    return privateKeyToAccount(this.sandbox.wallets.attester.privateKey)
  }

  get submitter(): PrivateKeyAccount {
    return privateKeyToAccount(this.sandbox.wallets.submitter.privateKey)
  }

  call(method: string, target: string, { token, body, headers = {} }: SessionRequest = {}): Promise<RawReply> {
    return send(this.sandbox.url, {
      method,
      target,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
  }

  challenge(address: string): Promise<RawReply> {
    return this.call('GET', `/v1/auth/challenge?address=${address}`)
  }

  session(nonce: string, signature: string): Promise<RawReply> {
    return this.call('POST', '/v1/auth/session', { body: { nonce, signature } })
  }

  async signIn(wallet: PrivateKeyAccount): Promise<RawReply> {
    const { message, nonce } = (await this.challenge(wallet.address)).json
    return this.session(nonce, await wallet.signMessage({ message }))
  }

  async token(role: 'attester' | 'submitter'): Promise<string> {
    return (await this.signIn(this[role])).json.token
  }

  newAsset(options: { deadlineInMs?: number } = {}): Promise<SandboxAsset> {
    this.#nth += 1
    return this.sandbox.registerFile(`file-${this.#nth}`, { content: Buffer.from(`content ${this.#nth}`), ...options })
  }

  /** The body of a score of 12.5 %, with an attestation that fits it but for the changes. */
  async score(asset: SandboxAsset, changes: AttestChanges = {}) {
    const said: AttestedScore = {
      ...scoreValues(asRisk(0.125)),
      assetId: asset.id,
      contentHash: asset.contentHash,
      algorithm: 'test-1',
      notes: '',
      ...changes.score,
    }
    const profile = easProfile({
      chainId: 84_532,
      contract: EAS.contract,
      domainVersion: '',
      attestationVersion: 2,
      schema: EAS.schema,
      schemaUid: null,
      ...changes.profile,
    })
    const time = changes.time ?? Math.floor(this.clock.now() / 1000)
    const randomBytes = (size: number) => new Uint8Array(size).fill(7)
    const offchainAttestation = await attestScore(profile, changes.signer ?? this.attester, said, time, { randomBytes })
    return { authenticityScore: 87.5, deepfakeRiskBps: 1250, algorithm: 'test-1', offchainAttestation }
  }

  close(): Promise<void> {
    return this.sandbox.close()
  }
}

/** The body of a registration that passes every check. */
export function registration(ownerAddress: Hex, changes: Readonly<Record<string, unknown>> = {}) {
  return { ownerAddress, ...REGISTRATION, ...changes }
}

/** Status and text of a refusal. */
export function refusal({ status, json }: RawReply): [number, string] {
  return [status, json.error]
}
