import { expect } from 'vitest'
import { rulesOf } from '../../support/conformance.js'
import { startSandbox } from '../../support/sandbox.js'
import { answering } from '../../support/wire-recorder.js'
import { ADDRESS, BYTES32, HASH, WIRE_ASSET, walletSessionWorld } from './world.js'

const on = rulesOf('wallet-session')
const onOne = on('GET /v1/assets/:id')
const onList = on('GET /v1/assets/open')
const onTime = on('GET /v1/chain/latest')
const world = walletSessionWorld()
const TIME = '/v1/chain/latest'
const OPEN = '/v1/assets/open'
const asAttester = { as: 'attester' } as const

/** What the client makes of a list with one asset that has these changes. */
async function read(changes: Record<string, unknown>) {
  world.wire.stand = answering(OPEN, 200, { assets: [{ ...WIRE_ASSET, ...changes }] })
  const { assets } = await world.asAttester().service.listOpen({ includeMyScore: false })
  world.wire.stand = null
  return assets
}

onTime('Answers with the latest block number and its timestamp.', 'Endpoints; Resources, Chain time result', {
  sandbox: async () => {
    const { status, json } = await world.get(TIME, asAttester)
    expect(status).toBe(200)
    const head = world.sandbox.registry.head()
    expect(Math.abs(json.timestamp - head.timestamp)).toBeLessThan(10)
    expect(Math.abs(json.number - Number(head.number))).toBeLessThan(10)
  },
  client: async () => {
    world.sandbox.control.setClockOffset(7_200_000)
    const { clock } = world.asAttester()
    await clock.ready()
    world.sandbox.control.setClockOffset(0)
    expect(Math.abs(clock.state().offsetMs! - 7_200_000)).toBeLessThan(10_000)
    world.wire.stand = answering(TIME, 200, { number: 1 })
    await expect(world.asAttester().clock.ready()).rejects.toMatchObject({ reason: 'service-reply-invalid' })
  },
})

onTime('chainId is an optional integer.', 'Endpoints', {
  sandbox: async () => {
    expect((await world.get(`${TIME}?chainId=84532`, asAttester)).status).toBe(200)
    for (const chainId of ['base', '1.5', '-1', '']) {
      expect((await world.get(`${TIME}?chainId=${chainId}`, asAttester)).status, chainId).toBe(400)
    }
  },
  client: async () => {
    await world.asAttester().clock.ready()
    const { target } = world.wire.last('GET', TIME)
    expect(target).toMatch(/^\/v1\/chain\/latest(\?chainId=84532)?$/)
  },
})

onTime('Without chainId it is 84532, the test network; 8453 is the main network.', 'Endpoints; Limits', {
  sandbox: async () => {
    const [plain, named] = [await world.get(TIME, asAttester), await world.get(`${TIME}?chainId=84532`, asAttester)]
    expect(Math.abs(plain.json.number - named.json.number)).toBeLessThan(10)
    // This sandbox has no RPC of the main network, which is what 503 says.
    expect((await world.get(`${TIME}?chainId=8453`, asAttester)).status).toBe(503)
  },
  client: async ({ onTestFinished }) => {
    const main = await startSandbox({ chainId: 8453, wallets: { attester: world.attester.privateKey } })
    onTestFinished(() => main.close())
    // Without the chain in its question it would get that of the test network, which this service does not have.
    const { clock } = world.asAttester({ serviceUrl: main.url, chainId: 8453 })
    await clock.ready()
    expect(clock.state().trusted).toBe(true)
  },
})

onTime('503 where the RPC or the configuration is missing on the server.', 'Errors', {
  sandbox: async () => {
    await world.token('attester')
    world.sandbox.registry.stop()
    const { status } = await world.get(TIME, asAttester)
    world.sandbox.registry.start()
    expect(status).toBe(503)
  },
  client: async () => {
    world.wire.stand = answering(TIME, 503, { error: 'no rpc' })
    await expect(world.asAttester().clock.ready()).rejects.toMatchObject({ reason: 'service-failing', kind: 'retry' })
  },
})

onList('Answers with the list of assets in status open.', 'Endpoints; States', {
  sandbox: async () => {
    const [open, closed] = [await world.newAsset(), await world.newAsset()]
    world.sandbox.world.assets.switch(closed.id, 'closed')
    const { status, json } = await world.get(OPEN, asAttester)
    expect(status).toBe(200)
    const ids = json.assets.map((asset: { id: string }) => asset.id)
    expect(ids).toContain(open.id)
    expect(ids).not.toContain(closed.id)
    expect(new Set(json.assets.map((asset: { status: string }) => asset.status))).toEqual(new Set(['open']))
  },
  client: async () => {
    const { id } = await world.newAsset()
    const { assets } = await world.asAttester().service.listOpen({ includeMyScore: false })
    expect(assets.map((asset) => asset.id)).toContain(id)
    expect(await read({ status: 'closed' })).toEqual([])
  },
})

onList(
  'An asset has ownerAddress, title, mediaContext, contentHash (bytes32 hex), uri, contributorAttestationUid, verificationDeadline (ISO) and status.',
  'Resources, Asset',
  {
    sandbox: async () => {
      await world.newAsset()
      const asset = (await world.get(OPEN, asAttester)).json.assets[0]
      expect(asset).toMatchObject({
        ownerAddress: expect.stringMatching(ADDRESS),
        title: expect.any(String),
        mediaContext: expect.any(String),
        contentHash: expect.stringMatching(BYTES32),
        uri: expect.stringMatching(/^ipfs:/),
        contributorAttestationUid: expect.any(String),
        verificationDeadline: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
        status: 'open',
      })
    },
    client: async () => {
      expect(await read({})).toEqual([expect.objectContaining({ id: 'asset-1', contentHash: HASH, mediaType: null })])
      for (const wrong of [{ contentHash: '0x12' }, { uri: 7 }, { title: null }, { id: undefined }]) {
        expect(await read(wrong), JSON.stringify(wrong)).toEqual([])
      }
    },
  },
)

onList('verificationDeadline is typically 12 hours after the contributor attestation.', 'Resources, Asset', {
  sandbox: async () => {
    const { id } = await world.newAsset()
    const { assets } = (await world.get(OPEN, asAttester)).json
    const { verificationDeadline } = assets.find((asset: { id: string }) => asset.id === id)
    expect(Math.abs(Date.parse(verificationDeadline) - Date.now() - 12 * 3_600_000)).toBeLessThan(60_000)
  },
  client: '– it accepts any deadline',
})

onList('Listings carry score counts and an aggregate.', 'Resources, Asset', {
  sandbox: async () => {
    const asset = await world.newAsset()
    await world.postScore(asset)
    const { assets } = (await world.get(OPEN, asAttester)).json
    const listed = assets.find((one: { id: string }) => one.id === asset.id)
    expect(listed).toMatchObject({ scoreCount: 1, aggregate: expect.any(Object) })
  },
  client: async () => {
    expect((await read({ scoreCount: 3, aggregate: { mean: 1 } }))[0]?.scoreCount).toBe(3)
    // Not known is not none: whether a score was there before decides about the alarm on doppelgangers.
    expect((await read({}))[0]?.scoreCount).toBeNull()
  },
})

onOne('Answers with one asset, its scores and aggregate.', 'Endpoints; Resources, Asset', {
  sandbox: async () => {
    const asset = await world.newAsset()
    await world.postScore(asset)
    const { status, json } = await world.get(`/v1/assets/${asset.id}`, asAttester)
    expect(status).toBe(200)
    expect(JSON.stringify(json)).toContain(asset.id)
    expect(json.scores).toHaveLength(1)
    expect(json.scores[0].attesterAddress.toLowerCase()).toBe(world.attester.address)
    expect(json.aggregate).toEqual(expect.any(Object))
  },
  client: async () => {
    const asset = await world.newAsset()
    const { service } = world.asAttester()
    expect(await service.find(asset.id)).toMatchObject({ id: asset.id, myScore: null })
    await world.postScore(asset)
    expect(await service.find(asset.id)).toMatchObject({ id: asset.id, myScore: 0.425 })
    expect(world.wire.last('GET', `/v1/assets/${asset.id}`).target).toBe(`/v1/assets/${asset.id}`)
  },
})

onOne('404 for an unknown asset.', 'Errors', {
  sandbox: async () => {
    expect((await world.get('/v1/assets/never-registered', asAttester)).status).toBe(404)
  },
  client: async () => {
    expect(await world.asAttester().service.find('never-registered')).toBeNull()
  },
})

onOne('status open means accepting scores.', 'States', {
  sandbox: async () => {
    const asset = await world.newAsset()
    expect((await world.get(`/v1/assets/${asset.id}`, asAttester)).json.asset.status).toBe('open')
    world.sandbox.world.assets.switch(asset.id, 'closed')
    expect((await world.get(`/v1/assets/${asset.id}`, asAttester)).json.asset.status).not.toBe('open')
    expect((await world.postScore(asset)).status).toBeGreaterThanOrEqual(400)
  },
  client: async () => {
    const asset = await world.newAsset()
    world.sandbox.world.assets.switch(asset.id, 'closed')
    expect(await world.asAttester().service.find(asset.id)).toBeNull()
  },
})
