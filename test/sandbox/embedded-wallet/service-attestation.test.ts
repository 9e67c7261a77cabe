import type { Address } from 'viem'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { easProfile } from '../../../src/chain/eas/profile.js'
import { verifyAttestation } from '../../../src/chain/eas/verify.js'
import { parseAttestation } from '../../../src/chain/eas/wire.js'
import type { Sandbox } from '../../../src/sandbox/create-sandbox.js'
import type { EmbeddedWalletOptions } from '../../../src/sandbox/embedded-wallet/provider.js'
import type { SandboxOptions } from '../../../src/sandbox/sandbox-options.js'
import { EAS } from '../../../src/sandbox/wallet-session/choices.js'
import { PrivyStub } from '../../support/privy-stub.js'
import { startSandbox } from '../../support/sandbox.js'
import { send, sendSigned } from '../../support/sandbox-requests.js'

const MEDIA = '/api/v1/attester/media'
const profile = easProfile({
  chainId: 84532,
  contract: EAS.contract,
  domainVersion: '',
  attestationVersion: 2,
  schema: EAS.schema,
  schemaUid: null,
})

function score(
  sandbox: Sandbox,
  id: string,
  risk = 12.34,
  key: { accessKey: string; signingSecret: string } = sandbox.attesterKey,
) {
  const body = JSON.stringify({ deepfakeRiskScore: risk, algorithm: 'a@1', notes: 'seen' })
  const headers = { 'content-type': 'application/json' }
  return sendSigned(sandbox.url, key, { method: 'POST', target: `${MEDIA}/${id}/scores`, body, headers })
}

async function assetOf(sandbox: Sandbox) {
  return sandbox.registerFile('f', { content: Buffer.from(`content ${Math.random()}`) })
}

async function kept(sandbox: Sandbox) {
  return (await send(sandbox.url, { method: 'GET', target: '/sandbox/scores' })).json.scores
}

describe('the attestation that the service makes of a v1 score', () => {
  let sandbox: Sandbox
  beforeAll(async () => {
    sandbox = await startSandbox()
  })
  afterAll(() => sandbox.close())

  it('is signed by the wallet of the key, about this score, and verifies', async () => {
    const asset = await assetOf(sandbox)
    const reply = await score(sandbox, asset.id)
    expect(reply.status).toBe(200)
    const [record] = await kept(sandbox)
    expect(record.attestationUid).toBe(reply.json.score.attestationUid)
    expect(reply.json.score).not.toHaveProperty('attestation')
    const attestation = parseAttestation(record.attestation)
    expect(attestation.uid).toBe(record.attestationUid)
    const attester = sandbox.attesterKey.wallet as Address
    const now = Math.floor(Date.now() / 1000)
    const verified = await verifyAttestation(attestation, { profile, attester, now })
    expect(verified.score).toEqual({
      assetId: asset.id,
      contentHash: asset.contentHash,
      deepfakeRiskBps: 1234,
      algorithm: 'a@1',
    })
    expect(Math.abs(verified.time - now)).toBeLessThan(60)
  })

  it('also exists for a new wallet of the sandbox', async () => {
    const asset = await assetOf(sandbox)
    const key = sandbox.control.createKey({ kind: 'attester' })
    const { json } = await score(sandbox, asset.id, 1, key)
    expect(json.score).toMatchObject({ attesterAddress: key.wallet, attestationUid: expect.stringMatching(/^0x/) })
  })

  it('is missing where nobody holds the key of the wallet, and the score stays', async () => {
    const asset = await assetOf(sandbox)
    const key = sandbox.control.createKey({ kind: 'attester', wallet: `0x${'7'.repeat(40)}` })
    expect((await score(sandbox, asset.id, 1, key)).json.score).toMatchObject({ attestationUid: null })
  })

  it('has service time', async () => {
    sandbox.control.setClockOffset(3_600_000)
    const asset = await assetOf(sandbox)
    const body = JSON.stringify({ deepfakeRiskScore: 1, algorithm: 'a' })
    const headers = { 'content-type': 'application/json' }
    const request = { method: 'POST', target: `${MEDIA}/${asset.id}/scores`, body, headers }
    await sendSigned(sandbox.url, sandbox.attesterKey, request, { timestamp: Date.now() + 3_600_000 })
    sandbox.control.setClockOffset(0)
    const time = Number((await kept(sandbox)).at(-1).attestation.message.time)
    expect(Math.abs(time - Date.now() / 1000 - 3600)).toBeLessThan(60)
  })
})

it.each(['idempotent', 'reject'] as const)(
  'under %s exactly one of many at once is stored',
  async (duplicateScores) => {
    const sandbox = await startSandbox({ duplicateScores })
    onTestFinished(() => sandbox.close())
    const asset = await assetOf(sandbox)
    const replies = await Promise.all(Array.from({ length: 20 }, () => score(sandbox, asset.id, 5)))
    expect(sandbox.scores()).toHaveLength(1)
    const won = replies.filter(({ status }) => status === 200)
    expect(won).toHaveLength(duplicateScores === 'reject' ? 1 : 20)
    expect(replies.every(({ status }) => status === 200 || status === 409)).toBe(true)
    expect(new Set(won.map(({ json }) => json.score.attestationUid)).size).toBe(1)
  },
)

it('no provider: scores have no attestation', async () => {
  const sandbox = await startSandbox({ embeddedWallet: null })
  onTestFinished(() => sandbox.close())
  expect((await score(sandbox, (await assetOf(sandbox)).id)).json.score.attestationUid).toBeNull()
})

describe('at Privy', () => {
  let stub: PrivyStub
  let sandbox: Sandbox
  beforeAll(async () => {
    stub = await PrivyStub.start()
    const { appId, appSecret, authorizationKey, walletId, address } = stub
    const embeddedWallet: EmbeddedWalletOptions = {
      kind: 'privy',
      appId,
      appSecret,
      authorizationKey,
      apiUrl: stub.url,
      timeoutMs: 60_000,
      walletIds: { [address]: walletId },
    }
    const options: Partial<SandboxOptions> = {
      embeddedWallet,
      attesterKey: { accessKey: 'ak_att_privy', signingSecret: 's', wallet: address },
    }
    sandbox = await startSandbox(options)
  })
  afterAll(async () => {
    await sandbox.close()
    await stub.close()
  })

  it('is signed by the wallet there', async () => {
    const asset = await assetOf(sandbox)
    expect((await score(sandbox, asset.id)).status).toBe(200)
    const record = (await kept(sandbox)).at(-1)
    const attestation = parseAttestation(record.attestation)
    await verifyAttestation(attestation, { profile, attester: stub.address, now: Number(attestation.message.time) })
    expect(stub.requests.at(-1)).toEqual({ method: 'eth_signTypedData_v4', refused: null })
  })

  it.each([
    ['429', { kind: 'status', status: 429 }, 'wallet-rate-limited'],
    ['500', { kind: 'status', status: 500 }, 'wallet-unreachable'],
    ['a cut', { kind: 'cut' }, 'wallet-unreachable'],
    ['a signature of another key', { kind: 'wrong-signature' }, 'signature-wrong'],
  ] as const)('%s: 503, nothing is stored, and the next attempt works', async (_name, fault, reason) => {
    const asset = await assetOf(sandbox)
    const before = sandbox.scores().length
    stub.setFault(fault)
    const reply = await score(sandbox, asset.id)
    expect([reply.status, reply.json.error.code]).toEqual([503, 'wallet-unavailable'])
    expect(reply.json.error.message).toContain(reason)
    expect(reply.body.toString()).not.toContain(stub.appSecret)
    expect(sandbox.scores()).toHaveLength(before)
    expect(sandbox.world.scores.attempts().at(-1)).toMatchObject({ outcome: 'refused' })
    stub.setFault(null)
    expect((await score(sandbox, asset.id)).status).toBe(200)
  })

  it('an asset that closes while the wallet signs accepts no score', async () => {
    const asset = await assetOf(sandbox)
    stub.setFault({ kind: 'meanwhile', act: () => sandbox.world.assets.switch(asset.id, 'closed') })
    expect((await score(sandbox, asset.id)).json.error.code).toBe('asset-not-open')
    stub.setFault(null)
  })
})
