import { privateKeyToAccount } from 'viem/accounts'
import { beforeAll, describe, expect, it } from 'vitest'
import { sendSigned } from '../../support/sandbox-requests.js'
import { type AttestChanges, NOW, refusal, registration, SessionBench } from './session-bench.js'

/** Unix seconds. */
const NOW_S = NOW / 1000
const EVERY_FIELD = 'string assetId,bytes32 contentHash,uint16 deepfakeRiskBps,string algorithm,string notes'

// The rules of the service's document are checked by test/conformance; here is what the sandbox adds to them.

const bench = SessionBench.forAll()
let token: string
beforeAll(async () => {
  token = await bench.token('attester')
})

const get = (target: string) => bench.call('GET', target, { token })

describe('GET /v1/chain/latest', () => {
  it.each(['', '?chainId=84532'])('returns number and time of the latest block, for %j', async (query) => {
    const { status, json, headers } = await get(`/v1/chain/latest${query}`)
    expect([status, json]).toEqual([200, { chainId: 84_532, number: NOW_S, timestamp: NOW_S }])
    expect(headers['cache-control']).toBe('no-store')
  })

  it.each(['0x14a34', '1e3', '9'.repeat(16)])('is 400 for the chain id %j', async (chainId) => {
    expect(refusal(await get(`/v1/chain/latest?chainId=${chainId}`))).toEqual([
      400,
      expect.stringContaining('/chainId'),
    ])
  })
})

describe('assets', () => {
  it('are returned one by one with scores and aggregate, including closed ones', async () => {
    const asset = await bench.newAsset()
    const { offchainAttestation } = await post(asset)
    bench.sandbox.world.assets.switch(asset.id, 'closed')
    const { status, json } = await get(`/v1/assets/${asset.id}`)
    expect(status).toBe(200)
    expect(json.asset).toMatchObject({ id: asset.id, status: 'closed', scoreCount: 1 })
    expect(json.aggregate).toEqual({ scoreCount: 1, meanRiskScore: 12.5, minRiskScore: 12.5, maxRiskScore: 12.5 })
    expect(json.scores).toEqual([
      {
        id: expect.stringMatching(/^scr_/),
        assetId: asset.id,
        attesterAddress: bench.attester.address.toLowerCase(),
        authenticityScore: 87.5,
        deepfakeRiskBps: 1250,
        deepfakeRiskScore: 12.5,
        algorithm: 'test-1',
        notes: '',
        attestationUid: offchainAttestation.uid,
        createdAt: new Date(bench.clock.now()).toISOString(),
      },
    ])
  })

  it('have no kind of media where none was stated', async () => {
    const own = await bench.token('submitter')
    const body = registration(bench.submitter.address)
    const { id } = (await bench.call('POST', '/v1/assets', { token: own, body })).json.asset
    expect((await get(`/v1/assets/${id}`)).json.asset).not.toHaveProperty('mediaType')
  })
})

type Asset = Awaited<ReturnType<SessionBench['newAsset']>>

const send = (asset: { id: string }, body: unknown) =>
  bench.call('POST', `/v1/assets/${asset.id}/scores`, { token, body })

async function post(asset: Asset, attested: AttestChanges = {}, changes: Record<string, unknown> = {}) {
  const body = { ...(await bench.score(asset, attested)), ...changes }
  return { reply: await send(asset, body), offchainAttestation: body.offchainAttestation }
}

describe('POST /v1/assets/:id/scores', () => {
  it.each<[string, AttestChanges, Record<string, unknown>]>([
    ['an attestation of version 1', { profile: { attestationVersion: 1 } }, {}],
    ['an attestation at the early end of the window', { time: NOW_S - 30 }, {}],
    ['an attestation at the late end of the window', { time: NOW_S + 30 }, {}],
    ['an authenticity in whole points', {}, { authenticityScore: 88 }],
  ])('accepts %s', async (_name, attested, changes) => {
    const { reply } = await post(await bench.newAsset(), attested, changes)
    expect(reply.status).toBe(201)
    expect(reply.json.score).toMatchObject(changes)
  })

  it.each([
    ['numbers that contradict each other', { authenticityScore: 88.1 }, 'contradict each other'],
    ['an empty algorithm', { algorithm: '' }, '/algorithm'],
    ['notes too long', { notes: 'x'.repeat(10_001) }, '/notes'],
  ])('refuses %s', async (_name, changes, text) => {
    const { reply } = await post(await bench.newAsset(), {}, changes)
    expect(refusal(reply)).toEqual([400, expect.stringContaining(text)])
    expect(bench.sandbox.scores()).toEqual([])
  })

  it.each([
    ['too old', { time: NOW_S - 31 }, '31000 ms behind service time, 30000 are allowed'],
    ['ahead of time', { time: NOW_S + 31 }, '31000 ms ahead of service time, 30000 are allowed'],
  ])('refuses an attestation that is %s', async (_name, attested, text) => {
    const { reply } = await post(await bench.newAsset(), attested)
    expect(refusal(reply)).toEqual([400, expect.stringContaining(text)])
    expect(bench.sandbox.scores()).toEqual([])
    expect(bench.sandbox.world.scores.attempts()).toMatchObject([{ outcome: 'refused' }])
  })

  it("refuses another attester's attestation", async () => {
    const asset = await bench.newAsset()
    const wallet = privateKeyToAccount(`0x${'33'.repeat(32)}`)
    bench.sandbox.registry.setRoles(wallet.address, { attester: true, submitter: false })
    const own = (await bench.signIn(wallet)).json.token
    const body = await bench.score(asset)
    const target = `/v1/assets/${asset.id}/scores`
    expect(refusal(await bench.call('POST', target, { token: own, body }))).toEqual([
      400,
      expect.stringContaining('signature is by'),
    ])
    const mine = await bench.score(asset, { signer: wallet })
    expect((await bench.call('POST', target, { token: own, body: mine })).status).toBe(201)
  })

  it('accepts bodies above the limit of other routes, up to its own', async () => {
    const asset = await bench.newAsset()
    const text = JSON.stringify(await bench.score(asset))
    expect((await send(asset, `${text}${' '.repeat(262_144 - text.length)}`)).status).toBe(201)
    expect((await send(asset, `${text}${' '.repeat(262_145 - text.length)}`)).status).toBe(413)
  })

  it('is repeated without effect; another risk is a conflict', async () => {
    const asset = await bench.newAsset()
    const first = await post(asset)
    const again = await post(asset, { time: NOW_S + 1 })
    expect([again.reply.status, again.reply.json]).toEqual([200, first.reply.json])
    const score = { deepfakeRiskBps: 1260, deepfakeRiskScore: 12.6, authenticityScore: 87.4 }
    const differs = await post(asset, { score }, { deepfakeRiskBps: 1260, authenticityScore: 87.4 })
    expect(refusal(differs.reply)).toEqual([409, expect.stringContaining('12.5')])
    expect(bench.sandbox.scores()).toHaveLength(1)
    expect(bench.sandbox.world.scores.attempts().map(({ outcome }) => outcome)).toEqual(['stored', 'same', 'conflict'])
  })

  it('counts the score of the same wallet on the signed-key API', async () => {
    const asset = await bench.newAsset()
    const target = `/api/v1/attester/media/${asset.id}/scores`
    const signed = (deepfakeRiskScore: number) => {
      const body = JSON.stringify({ deepfakeRiskScore, algorithm: 'test-1' })
      return sendSigned(
        bench.sandbox.url,
        bench.sandbox.attesterKey,
        { method: 'POST', target, body },
        { timestamp: NOW },
      )
    }
    expect((await signed(12.5)).status).toBe(200)
    const shown = (await get(`/v1/assets/${asset.id}`)).json
    expect(shown.scores).toMatchObject([{ authenticityScore: 87.5, deepfakeRiskBps: 1250, deepfakeRiskScore: 12.5 }])
    const { reply } = await post(asset)
    expect([reply.status, reply.json.score]).toEqual([200, shown.scores[0]])
    expect((await signed(13)).status).toBe(409)
  })

  it('is stored once however many arrive at once', async () => {
    const asset = await bench.newAsset()
    const body = await bench.score(asset)
    const replies = await Promise.all(Array.from({ length: 8 }, () => send(asset, body)))
    expect(replies.map(({ status }) => status).toSorted()).toEqual([...Array(7).fill(200), 201])
    expect(bench.sandbox.scores()).toHaveLength(1)
  })
})

it('another schema is what attestations must be made for, notes included', async () => {
  const own = await SessionBench.start({ eas: { schema: EVERY_FIELD, attestationVersion: 2 } })
  const mine = await own.token('attester')
  const asset = await own.newAsset()
  const postOwn = async (profile: AttestChanges['profile'], notes: string) => {
    const body = { ...(await own.score(asset, { profile: profile ?? {}, score: { notes } })), notes: 'seen' }
    return own.call('POST', `/v1/assets/${asset.id}/scores`, { token: mine, body })
  }
  const replies = [
    await postOwn({ schema: EVERY_FIELD, attestationVersion: 1 }, 'seen'),
    await postOwn({}, 'seen'),
    await postOwn({ schema: EVERY_FIELD }, 'else'),
    await postOwn({ schema: EVERY_FIELD }, 'seen'),
  ]
  await own.close()
  expect(replies.map(({ status, json }) => [status, json.error])).toEqual([
    [400, "The attestation's version is not 2."],
    [400, expect.stringContaining('schema is not')],
    [400, expect.stringContaining('notes in data')],
    [201, undefined],
  ])
})
