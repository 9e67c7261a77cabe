import { createHash, randomBytes } from 'node:crypto'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, it, type TestContext } from 'vitest'
import { attestScore } from '../../../src/chain/eas/attest.js'
import { easProfile } from '../../../src/chain/eas/profile.js'
import { systemClock } from '../../../src/core/clock.js'
import { asRisk, scoreValues } from '../../../src/core/risk.js'
import type { SandboxOptions } from '../../../src/sandbox/sandbox-options.js'
import { EAS } from '../../../src/sandbox/wallet-session/choices.js'
import type { ServiceEvent } from '../../../src/service/port.js'
import {
  createWalletSessionService,
  type WalletSessionOptions,
} from '../../../src/service/wallet-session/create-wallet-session-service.js'
import { startSandbox } from '../../support/sandbox.js'
import { until } from '../stream-harness.js'
import { CHAIN_ID, failure, KeptLog } from './local-wallet-service.js'

const profile = easProfile({
  chainId: CHAIN_ID,
  contract: EAS.contract,
  domainVersion: '',
  attestationVersion: 2,
  schema: EAS.schema,
  schemaUid: null,
})

/** The whole sandbox, with clients of its own wallets that sign for real. */
async function bench(onTestFinished: TestContext['onTestFinished'], options: Partial<SandboxOptions> = {}) {
  const sandbox = await startSandbox(options)
  onTestFinished(() => sandbox.close())
  const log = new KeptLog()
  const missing: string[] = []
  const open = (wallet: 'attester' | 'submitter', own: Partial<WalletSessionOptions> = {}) => {
    const signer = privateKeyToAccount(sandbox.wallets[wallet].privateKey)
    const service = createWalletSessionService({
      serviceUrl: sandbox.url,
      requestTimeoutMs: 10_000,
      streamIdleMs: 30_000,
      clock: systemClock,
      random: Math.random,
      log,
      chainId: CHAIN_ID,
      signer,
      role: wallet,
      attest: async ({ assetId, contentHash, risk, algorithm, notes }, time) => {
        const said = { assetId, contentHash, algorithm, notes, ...scoreValues(risk) }
        return { ...(await attestScore(profile, signer, said, time, { randomBytes })) }
      },
      onRoleMissing: (error) => missing.push(error.message),
      ...own,
    })
    onTestFinished(() => service.close())
    return service
  }
  return { sandbox, open, log, missing }
}

const file = () => ({ content: randomBytes(2_000) })
const scoreOf = ({ id, contentHash }: { id: string; contentHash: string }) => {
  return { assetId: id, contentHash, risk: asRisk(0.8765), algorithm: 'test-1', notes: 'seen' }
}

it.concurrent('an open asset is listed, scored with a proved attestation, and found with the score', async (context) => {
  const { sandbox, open, log } = await bench(context.onTestFinished)
  const asset = await sandbox.registerFile('a.bin', file())
  const { service, clock, session, client } = open('attester')
  expect(await client.health()).toEqual({ ok: true })
  await clock.ready()
  expect(Math.abs(clock.state().offsetMs!)).toBeLessThanOrEqual(clock.state().errorBoundMs!)
  const { assets, stake } = await service.listOpen({ includeMyScore: true })
  expect([assets.map(({ id }) => id), stake]).toEqual([[asset.id], null])
  expect(await service.find(asset.id)).toMatchObject({ id: asset.id, myScore: null, scoreCount: 0 })

  const receipt = await service.submit(scoreOf(asset), clock.now())
  const [stored] = sandbox.scores()
  expect(receipt).toMatchObject({ scoreId: stored?.id, risk: 0.8765, how: 'accepted' })
  expect(receipt.attester).toBe(sandbox.wallets.attester.address.toLowerCase())
  expect(stored).toMatchObject({ deepfakeRiskScore: 87.65, algorithm: 'test-1', notes: 'seen' })
  expect(await service.find(asset.id)).toMatchObject({ myScore: 0.8765, scoreCount: 1 })
  // Another value conflicts, the same is the same.
  expect(await failure(service.submit({ ...scoreOf(asset), risk: asRisk(0.01) }, clock.now()))).toMatchObject({
    reason: 'score-conflict',
  })
  expect((await service.submit(scoreOf(asset), clock.now())).scoreId).toBe(stored?.id)
  expect(sandbox.scores()).toHaveLength(1)
  expect(log.lines.join('\n')).not.toContain(await session.token())
})

it.concurrent('an asset that closed keeps its score, and takes no other', async ({ onTestFinished }) => {
  const { sandbox, open } = await bench(onTestFinished)
  const { service, clock } = open('attester')
  const [scored, other] = [await sandbox.registerFile('a.bin', file()), await sandbox.registerFile('b.bin', file())]
  await clock.ready()
  await service.submit(scoreOf(scored), clock.now())
  for (const { id } of [scored, other]) sandbox.control.closeAsset(id)
  expect(await service.find(scored.id)).toMatchObject({ myScore: 0.8765 })
  expect(await service.find(other.id)).toBeNull()
  expect(await failure(service.submit(scoreOf(other), clock.now()))).toMatchObject({ reason: 'asset-closed' })
  expect(await failure(service.submit({ ...scoreOf(other), assetId: 'unknown' }, clock.now()))).toMatchObject({
    reason: 'asset-closed',
  })
})

it.concurrent('an attestation that arrives too late is refused for its time, which a new one avoids', async ({
  onTestFinished,
}) => {
  const { sandbox, open } = await bench(onTestFinished, { timestampWindowMs: 8_000 })
  const asset = await sandbox.registerFile('a.bin', file())
  // A client that believes in a longer window than the service has.
  const { service, clock } = open('attester', { timestampWindowMs: 60_000 })
  await clock.ready()
  const error = await failure(service.submit(scoreOf(asset), clock.now() - 20_000))
  expect(error).toMatchObject({ reason: 'clock-untrusted', kind: 'wait', ambiguous: true, facts: { status: 400 } })
  await service.submit(scoreOf(asset), clock.now())
  expect(sandbox.scores()).toHaveLength(1)
})

it.concurrent('an attestation that says something else is refused for good', async ({ onTestFinished }) => {
  const { sandbox, open } = await bench(onTestFinished)
  const asset = await sandbox.registerFile('a.bin', file())
  const { service, clock } = open('attester', { attest: async () => ({ version: 2, uid: '0x' }) })
  await clock.ready()
  const error = await failure(service.submit(scoreOf(asset), clock.now()))
  expect(error).toMatchObject({ reason: 'service-refused', kind: 'permanent', ambiguous: true })
})

it.concurrent.for([3_600_000, -3_600_000])(
  'service time %d ms off the local clock makes no difference',
  async (offset, { onTestFinished }) => {
    const { sandbox, open } = await bench(onTestFinished, { clockOffsetMs: offset })
    const asset = await sandbox.registerFile('a.bin', file())
    const { service, clock } = open('attester')
    await clock.ready()
    expect(Math.abs(clock.state().offsetMs! - offset)).toBeLessThanOrEqual(clock.state().errorBoundMs!)
    await service.submit(scoreOf(asset), clock.now())
    expect(sandbox.scores()).toHaveLength(1)
  },
)

it.concurrent('the stream reports the open set and what opens then', async ({ onTestFinished }) => {
  const { sandbox, open } = await bench(onTestFinished)
  const first = await sandbox.registerFile('a.bin', file())
  const { service } = open('attester')
  const stop = new AbortController()
  onTestFinished(() => stop.abort())
  const events: ServiceEvent[] = []
  const ended = (async () => {
    for await (const event of service.watch(stop.signal)) if (event.kind !== 'heartbeat') events.push(event)
  })()
  await until(() => events.length === 2)
  expect(events).toMatchObject([
    { kind: 'ready', stake: null },
    { kind: 'snapshot', ids: [first.id] },
  ])
  const second = await sandbox.registerFile('b.bin', file())
  await until(() => events.length === 3)
  expect(events[2]).toMatchObject({ kind: 'delta', assets: [{ id: second.id, uri: second.uri }] })
  stop.abort()
  await ended
})

it.concurrent('a submitter uploads, registers and sees its assets, with a session of its own role', async ({
  onTestFinished,
}) => {
  const { sandbox, open, missing } = await bench(onTestFinished)
  const { client, session } = open('submitter')
  const content = randomBytes(5_000)
  const { contentHash, uri } = await client.upload({ name: 'a.bin', content })
  expect(contentHash).toBe(`0x${createHash('sha256').update(content).digest('hex')}`)
  const asset = await client.register({
    title: 'A file',
    mediaContext: '',
    contentHash,
    uri,
    contributorAttestationUid: contentHash,
    verificationDeadline: new Date(Date.now() + 3_600_000).toISOString(),
  })
  expect(asset).toMatchObject({
    contentHash,
    status: 'open',
    ownerAddress: sandbox.wallets.submitter.address.toLowerCase(),
  })
  expect(await client.byOwner()).toMatchObject([{ id: asset.id, scoreCount: 0 }])
  expect(await session.facts()).toMatchObject({ roles: expect.arrayContaining(['submitter']) })
  // A submitter is no attester.
  const asAttester = open('submitter', { role: 'attester' })
  expect(await failure(asAttester.service.listOpen({ includeMyScore: false }))).toMatchObject({
    reason: 'role-missing',
  })
  expect(missing).toHaveLength(1)
})

it.concurrent('a file that the service does not take is refused by name, or not even sent', async ({
  onTestFinished,
}) => {
  const { sandbox, open } = await bench(onTestFinished, { uploadLimitBytes: 1_000 })
  const { client } = open('submitter')
  expect(await failure(client.upload({ name: 'a', content: randomBytes(2_000) }))).toMatchObject({
    reason: 'upload-refused',
  })
  const sent = sandbox.control.requestCounts()
  const tooLarge = new Uint8Array(50 * 1024 * 1024 + 1)
  expect(await failure(client.upload({ name: 'a', content: tooLarge }))).toMatchObject({ reason: 'upload-refused' })
  expect(sandbox.control.requestCounts()).toEqual(sent)
})
