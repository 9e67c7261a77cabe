import { expect } from 'vitest'
import { asRisk, type Risk } from '../../../src/core/risk.js'
import { rulesOf } from '../../support/conformance.js'
import { answering } from '../../support/wire-recorder.js'
import { HASH, MEDIA, SCORE, signedKeyWorld } from './world.js'

const rule = rulesOf('signed-key')('POST /api/v1/attester/media/:id/scores')
const world = signedKeyWorld()
const post = async (body: unknown) => world.asAttester('POST', `${MEDIA}/${(await world.newAsset()).id}/scores`, body)

interface Changes {
  risk?: Risk
  algorithm?: string
  notes?: string
}

/** A score of an asset as the pipeline hands it to the client. */
async function submitFor(assetId: string, changes: Changes = {}, { clock, service } = world.attester) {
  const made = { risk: asRisk(0.425), algorithm: 'conformance-1', notes: 'a line' }
  await clock.ready()
  return service.submit({ assetId, contentHash: HASH, ...made, ...changes }, clock.now())
}

/** The same of a new asset; @returns what was sent, too */
async function submit(changes: Changes = {}) {
  const { id } = await world.newAsset()
  const receipt = await submitFor(id, changes)
  return { id, receipt, sent: JSON.parse(world.wire.last('POST', `${MEDIA}/${id}/scores`).body) }
}

rule(
  '200 with { score: { id, assetId, attesterAddress, deepfakeRiskScore }, aggregate: an object }.',
  'Endpoints; Resources, Score, Aggregate',
  {
    sandbox: async () => {
      const { id } = await world.newAsset()
      const { status, json } = await world.asAttester('POST', `${MEDIA}/${id}/scores`, SCORE)
      expect(status).toBe(200)
      expect(json.score).toMatchObject({
        id: expect.any(String),
        assetId: id,
        attesterAddress: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
        deepfakeRiskScore: SCORE.deepfakeRiskScore,
      })
      expect(json.aggregate).toEqual(expect.objectContaining({}))
    },
    client: async () => {
      const { receipt } = await submit()
      expect(receipt).toEqual({
        scoreId: expect.any(String),
        risk: asRisk(0.425),
        attester: world.sandbox.attesterKey.wallet,
      })
    },
  },
)

rule('deepfakeRiskScore is a required number from 0 to 100 (percentage).', 'Endpoints; Limits', {
  sandbox: async () => {
    for (const deepfakeRiskScore of [0, 100, 0.01])
      expect((await post({ ...SCORE, deepfakeRiskScore })).status).toBe(200)
    for (const deepfakeRiskScore of [-0.01, 100.01, '50', null, undefined]) {
      expect((await post({ ...SCORE, deepfakeRiskScore })).status, String(deepfakeRiskScore)).toBe(400)
    }
  },
  client: async () => {
    expect((await submit({ risk: asRisk(1) })).sent.deepfakeRiskScore).toBe(100)
    for (const risk of [-1, 1.005, 42.5, Number.NaN]) {
      await expect(submit({ risk: risk as Risk })).rejects.toMatchObject({ reason: 'request-invalid' })
    }
  },
})

rule('algorithm is a required, short label.', 'Endpoints', {
  sandbox: async () => {
    for (const algorithm of [undefined, '', 7]) expect((await post({ ...SCORE, algorithm })).status).toBe(400)
  },
  client: async () => {
    expect((await submit({ algorithm: 'attestd-image@2.0.0' })).sent.algorithm).toBe('attestd-image@2.0.0')
    expect((await submit({ algorithm: 'x'.repeat(5_000) })).sent.algorithm.length).toBeLessThanOrEqual(200)
  },
})

rule('notes are optional free text.', 'Endpoints', {
  sandbox: async () => {
    expect((await post(SCORE)).status).toBe(200)
    expect((await post({ ...SCORE, notes: 'visage – 顔' })).status).toBe(200)
    expect((await post({ ...SCORE, notes: 7 })).status).toBe(400)
  },
  client: async () => {
    expect((await submit({ notes: 'visage – 顔' })).sent.notes).toBe('visage – 顔')
  },
})

rule('signature is reserved for the future and ignored today.', 'Endpoints; Versioning', {
  sandbox: async () => {
    for (const signature of ['0xnonsense', null, 5]) {
      expect((await post({ ...SCORE, signature })).status).toBe(200)
    }
  },
  client: async () => {
    expect((await submit()).sent).not.toHaveProperty('signature')
  },
})

rule("The attester address is the one of the key's wallet.", 'What the service does; Endpoints', {
  sandbox: async () => {
    const { attesterKey } = world.sandbox
    expect((await post(SCORE)).json.score.attesterAddress.toLowerCase()).toBe(attesterKey.wallet)
  },
  client: async () => {
    const { sent, receipt } = await submit()
    expect(Object.keys(sent).sort()).toEqual(['algorithm', 'deepfakeRiskScore', 'notes'])
    expect(receipt.attester).toBe(world.sandbox.attesterKey.wallet)
  },
})

rule('An attempt to submit as another address is rejected.', 'Endpoints; Errors', {
  sandbox: async () => {
    const reply = await post({ ...SCORE, attesterAddress: `0x${'9'.repeat(40)}` })
    expect(reply.status).toBe(403)
    expect(world.sandbox.scores().filter(({ attesterAddress }) => attesterAddress.includes('999'))).toEqual([])
  },
  client: '– it names no address',
})

rule('The attester needs a wallet that is linked in the dashboard.', 'Endpoints', {
  sandbox: async () => {
    const key = { ...world.sandbox.control.createKey({ kind: 'attester', wallet: null }), wallet: '' }
    const { id } = await world.newAsset()
    expect((await world.signed(key, 'POST', `${MEDIA}/${id}/scores`, SCORE)).status).toBe(403)
  },
  client: async () => {
    const { id } = await world.newAsset()
    const unlinked = world.client(world.sandbox.control.createKey({ kind: 'attester', wallet: null }))
    await expect(submitFor(id, {}, unlinked)).rejects.toMatchObject({ reason: 'service-forbidden' })
  },
})

rule('Clients never build or submit an attestation payload; the service makes and signs it.', 'What the service does', {
  sandbox: async () => {
    const { score } = (await post(SCORE)).json
    expect(score.attestationUid).toMatch(/^0x[0-9a-f]{64}$/)
  },
  client: async () => {
    expect(JSON.stringify((await submit()).sent)).not.toMatch(/attestation/i)
  },
})

rule('Only an asset in status open accepts scores.', 'States', {
  sandbox: async () => {
    const { id } = await world.newAsset()
    world.sandbox.world.assets.switch(id, 'closed')
    expect((await world.asAttester('POST', `${MEDIA}/${id}/scores`, SCORE)).status).toBe(404)
    expect(world.sandbox.scores().filter(({ assetId }) => assetId === id)).toEqual([])
  },
  client: async () => {
    const { id } = await world.newAsset()
    world.sandbox.world.assets.switch(id, 'closed')
    await expect(submitFor(id)).rejects.toMatchObject({ reason: 'asset-closed', kind: 'closed' })
  },
})

rule('401 for an authentication failure, clock skew included.', 'Errors', {
  sandbox: async () => {
    const { id } = await world.newAsset()
    const late = { timestamp: Date.now() - 120_000 }
    expect((await world.asAttester('POST', `${MEDIA}/${id}/scores`, SCORE, late)).status).toBe(401)
    expect(world.sandbox.scores().filter(({ assetId }) => assetId === id)).toEqual([])
  },
  client: async () => {
    const { id } = await world.newAsset()
    world.wire.stand = answering(`${MEDIA}/${id}/scores`, 401, { error: 'no' })
    await expect(submitFor(id)).rejects.toMatchObject({ reason: 'service-unauthorized', ambiguous: false })
  },
})
