import { expect } from 'vitest'
import { asRisk, type Risk } from '../../../src/core/risk.js'
import { rulesOf } from '../../support/conformance.js'
import { handMadeAttestation } from '../../support/hand-made-wallet.js'
import { answering } from '../../support/wire-recorder.js'
import { HASH, STRANGER, walletSessionWorld } from './world.js'

const rule = rulesOf('wallet-session')('POST /v1/assets/:id/scores')
const world = walletSessionWorld()
const OLD_S = 120

/** Statuses of posts of a fresh asset's score with each of these changes of the body. */
async function statuses(...changes: Record<string, unknown>[]): Promise<number[]> {
  const all: number[] = []
  for (const change of changes) all.push((await world.postScore(await world.newAsset(), change)).status)
  return all
}

interface Changes {
  risk?: Risk
  algorithm?: string
  notes?: string
}

/** A score of an asset as the pipeline hands it to the client. */
async function submitFor({ id: assetId, contentHash }: { id: string; contentHash: string }, changes: Changes = {}) {
  const made = { risk: asRisk(0.425), algorithm: 'conformance-1', notes: 'a line' }
  const { service, clock } = world.asAttester()
  await clock.ready()
  return service.submit({ assetId, contentHash, ...made, ...changes }, clock.now())
}

/** The same of a new asset; @returns what was sent, too */
async function submit(changes: Changes = {}) {
  const asset = await world.newAsset()
  const receipt = await submitFor(asset, changes)
  const request = world.wire.last('POST', `/v1/assets/${asset.id}/scores`)
  return { asset, receipt, request, sent: JSON.parse(request.body) }
}

rule('Takes the score input; the score is on record afterwards.', 'Endpoints', {
  sandbox: async () => {
    const asset = await world.newAsset()
    const { status } = await world.postScore(asset)
    expect([200, 201]).toContain(status)
    expect(world.sandbox.scores().filter(({ assetId }) => assetId === asset.id)).toHaveLength(1)
  },
  client: async () => {
    const { asset, receipt } = await submit()
    expect(receipt).toMatchObject({ risk: 0.425 })
    expect(world.sandbox.scores().filter(({ assetId }) => assetId === asset.id)).toHaveLength(1)
  },
})

rule('authenticityScore is a required number from 0 to 100.', 'Resources, Score input', {
  sandbox: async () => {
    const wrong = [undefined, -1, 101, '57', null].map((authenticityScore) => ({ authenticityScore }))
    expect(await statuses(...wrong)).toEqual([400, 400, 400, 400, 400])
  },
  client: async () => {
    expect((await submit({ risk: asRisk(0.425) })).sent.authenticityScore).toBe(57.5)
    expect((await submit({ risk: asRisk(1) })).sent.authenticityScore).toBe(0)
    await expect(submit({ risk: 1.01 as Risk })).rejects.toMatchObject({ kind: 'permanent', ambiguous: false })
  },
})

rule('deepfakeRiskBps is required: the risk in basis points.', 'Resources, Score input', {
  sandbox: async () => {
    const wrong = [undefined, -1, 10_001, 42.5, '4250'].map((deepfakeRiskBps) => ({ deepfakeRiskBps }))
    expect(await statuses(...wrong)).toEqual([400, 400, 400, 400, 400])
  },
  client: async () => {
    expect((await submit({ risk: asRisk(0.425) })).sent.deepfakeRiskBps).toBe(4250)
    expect((await submit({ risk: asRisk(0.0001) })).sent.deepfakeRiskBps).toBe(1)
  },
})

rule('algorithm is a required string.', 'Resources, Score input', {
  sandbox: async () => {
    expect(await statuses({ algorithm: undefined }, { algorithm: 7 })).toEqual([400, 400])
  },
  client: async () => {
    expect((await submit({ algorithm: 'attestd-image@2.0.0' })).sent.algorithm).toBe('attestd-image@2.0.0')
  },
})

rule('notes are optional text.', 'Resources, Score input', {
  sandbox: async () => {
    const [plain, noted, wrong] = await statuses({}, { notes: 'visage – 顔' }, { notes: 7 })
    expect([plain, noted, wrong]).toEqual([201, 201, 400])
  },
  client: async () => {
    expect((await submit({ notes: 'visage – 顔' })).sent.notes).toBe('visage – 顔')
  },
})

rule('signature is an optional string.', 'Resources, Score input', {
  sandbox: async () => {
    expect(await statuses({ signature: '0xabc' }, {})).toEqual([201, 201])
  },
  client: '– it sends none',
})

rule('attesterAddress is ignored; the verifier wallet comes from the session.', 'Resources, Score input; Endpoints', {
  sandbox: async () => {
    const asset = await world.newAsset()
    expect((await world.postScore(asset, { attesterAddress: STRANGER.address })).status).toBe(201)
    const [score] = world.sandbox.scores().filter(({ assetId }) => assetId === asset.id)
    expect(score?.attesterAddress.toLowerCase()).toBe(world.attester.address)
  },
  client: async () => {
    const { asset, sent } = await submit()
    const named = sent.attesterAddress ?? world.attester.address
    expect(named.toLowerCase()).toBe(world.attester.address)
    const [score] = world.sandbox.scores().filter(({ assetId }) => assetId === asset.id)
    expect(score?.attesterAddress.toLowerCase()).toBe(world.attester.address)
  },
})

rule('offchainAttestation is always required.', 'Resources, Score input', {
  sandbox: async () => {
    const wrong = [undefined, null, {}, 'text', []].map((offchainAttestation) => ({ offchainAttestation }))
    expect(await statuses(...wrong)).toEqual([400, 400, 400, 400, 400])
  },
  client: async () => {
    const { sent, asset } = await submit()
    expect(sent.offchainAttestation).toMatchObject({ version: 2, primaryType: 'Attest', uid: expect.any(String) })
    const { privateKey } = world.attester
    const { message, signature, domain } = sent.offchainAttestation
    // The client's own, made again by hand from the same values: everything but the salt is the same.
    const values = {
      assetId: asset.id,
      contentHash: asset.contentHash,
      deepfakeRiskBps: 4250,
      algorithm: 'conformance-1',
    }
    const again = await handMadeAttestation({ privateKey, ...values, time: Number(message.time), salt: message.salt })
    expect({ message, signature, domain }).toEqual({
      message: again.message,
      signature: again.signature,
      domain: again.domain,
    })
    expect(sent.offchainAttestation.uid).toBe(again.uid)
  },
})

rule('offchainAttestation is verified by the server.', 'Resources, Score input', {
  sandbox: async () => {
    const wrongs: [string, Record<string, unknown>, RegExp][] = [
      ['signed by another wallet', { privateKey: STRANGER.privateKey }, /signature is by/],
      ['about another asset', { assetId: 'another' }, /assetId in data/],
      ['about other bytes', { contentHash: `0x${'ef'.repeat(32)}` }, /contentHash in data/],
      ['of another risk', { deepfakeRiskBps: 4251 }, /deepfakeRiskBps in data/],
      ['of another algorithm', { algorithm: 'other' }, /algorithm in data/],
      ['for another chain', { chainId: 8453 }, /chainId is not 84532/],
      ['for another EAS contract version', { domainVersion: '0.26' }, /version is not 1.2.0/],
      ['too old', { time: Math.floor(Date.now() / 1000) - OLD_S }, /behind service time/],
      ['of the future', { time: Math.floor(Date.now() / 1000) + OLD_S }, /ahead of service time/],
    ]
    for (const [what, attested, error] of wrongs) {
      const asset = await world.newAsset()
      expect(await world.postScore(asset, {}, attested), what).toMatchObject({ status: 400, json: { error } })
      expect(world.sandbox.scores().filter(({ assetId }) => assetId === asset.id)).toEqual([])
    }
    const asset = await world.newAsset()
    const { offchainAttestation: right } = await world.score(asset)
    const spoiled = [
      { ...right, uid: `0x${'0'.repeat(64)}` },
      { ...right, message: { ...right.message, revocable: false } },
      { ...right, signature: { ...right.signature, r: right.signature.s } },
      { ...right, signature: { ...right.signature, v: right.signature.v === 27 ? 28 : 27 } },
    ]
    for (const offchainAttestation of spoiled) {
      expect((await world.postScore(asset, { offchainAttestation })).status).toBe(400)
    }
    expect((await world.postScore(asset, { offchainAttestation: right })).status).toBe(201)
  },
  client: '– it verifies its own before it sends it',
})

rule("The attestation's time is taken from the chain time route.", 'What the service does', {
  sandbox: '– the client reads chain time',
  client: async () => {
    world.sandbox.control.setClockOffset(3_600_000)
    const { sent } = await submit()
    world.sandbox.control.setClockOffset(0)
    const time = Number(sent.offchainAttestation.message.time)
    expect(Math.abs(time - (Date.now() + 3_600_000) / 1000)).toBeLessThan(10)
  },
})

rule('404 for an unknown asset.', 'Errors', {
  sandbox: async () => {
    const asset = { ...(await world.newAsset()), id: 'never-registered' }
    expect((await world.postScore(asset)).status).toBe(404)
  },
  client: async () => {
    const unknown = { id: 'never', contentHash: HASH }
    await expect(submitFor(unknown)).rejects.toMatchObject({ reason: 'asset-closed' })
  },
})

rule('Only an asset in status open accepts scores.', 'Resources, Asset; States', {
  sandbox: async () => {
    const asset = await world.newAsset()
    world.sandbox.world.assets.switch(asset.id, 'closed')
    expect((await world.postScore(asset)).status).toBe(410)
    expect(world.sandbox.scores().filter(({ assetId }) => assetId === asset.id)).toEqual([])
  },
  client: async () => {
    const asset = await world.newAsset()
    world.sandbox.world.assets.switch(asset.id, 'closed')
    await expect(submitFor(asset)).rejects.toMatchObject({ reason: 'asset-closed', kind: 'closed' })
  },
})

rule('401 for a missing or invalid session.', 'Errors', {
  sandbox: async () => {
    const asset = await world.newAsset()
    const body = await world.score(asset)
    expect((await world.post(`/v1/assets/${asset.id}/scores`, body, { token: 'nonsense' })).status).toBe(401)
    expect(world.sandbox.scores().filter(({ assetId }) => assetId === asset.id)).toEqual([])
  },
  client: async () => {
    const asset = await world.newAsset()
    const path = `/v1/assets/${asset.id}/scores`
    world.wire.stand = answering(path, 401, { error: 'no' })
    await expect(submitFor(asset)).rejects.toMatchObject({ reason: 'service-unauthorized', ambiguous: false })
    world.wire.stand = null
    expect(world.wire.to('POST', path)).toHaveLength(1)
  },
})

rule('The JSON body may be large, since scores can carry attestation payloads.', 'Limits', {
  sandbox: async () => {
    const [status] = await statuses({ padding: 'x'.repeat(150_000) })
    expect(status).toBe(201)
  },
  client: async () => {
    const { sent } = await submit({ notes: 'n'.repeat(2_000) })
    expect(sent.notes).toHaveLength(2_000)
  },
})
