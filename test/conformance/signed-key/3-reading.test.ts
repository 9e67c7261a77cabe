import { expect } from 'vitest'
import { rulesOf } from '../../support/conformance.js'
import { startSandbox } from '../../support/sandbox.js'
import { sendSigned } from '../../support/sandbox-requests.js'
import { answering } from '../../support/wire-recorder.js'
import { BYTES32, HASH, MEDIA, SCORE, signedKeyWorld, WIRE_ASSET } from './world.js'

const on = rulesOf('signed-key')
const onList = on('GET /api/v1/attester/media')
const onOne = on('GET /api/v1/attester/media/:id')
const world = signedKeyWorld()
const list = (target = MEDIA) => world.asAttester('GET', target)
const STAKE = { stakedWei: '5000000000000000000', minStakeWei: '1000000000000000000' }
/** What the client makes of a list with one asset that has these changes. */
async function read(changes: Record<string, unknown>) {
  world.wire.stand = answering(MEDIA, 200, { assets: [{ ...WIRE_ASSET, ...changes }], stake: STAKE })
  const { assets } = await world.attester.service.listOpen({ includeMyScore: true })
  world.wire.stand = null
  return assets
}

onList('200 with { assets: MediaAsset[], stake: Stake }.', 'Endpoints', {
  sandbox: async () => {
    const { id } = await world.newAsset()
    const { status, json } = await list()
    expect(status).toBe(200)
    expect(json.assets.map((asset: { id: string }) => asset.id)).toContain(id)
    expect(json.stake).toEqual({ stakedWei: expect.any(String), minStakeWei: expect.any(String) })
  },
  client: async () => {
    const { id } = await world.newAsset()
    const { assets, stake } = await world.attester.service.listOpen({ includeMyScore: false })
    expect(assets.map((asset) => asset.id)).toContain(id)
    expect(stake).toEqual({ stakedWei: expect.any(BigInt), minStakeWei: expect.any(BigInt) })
  },
})

onList('stakedWei and minStakeWei are decimal strings of wei.', 'Resources, Stake', {
  sandbox: async () => {
    world.sandbox.control.setStake({ stakedWei: 12_345_678_901_234_567_890n })
    const { stake } = (await list()).json
    world.sandbox.control.setStake({ stakedWei: 10n ** 19n })
    expect(stake.stakedWei).toBe('12345678901234567890')
    expect(stake.minStakeWei).toMatch(/^\d+$/)
  },
  client: async () => {
    const wei = '115792089237316195423570985008687907853269984665640564039457584007913129639935'
    world.wire.stand = answering(MEDIA, 200, { assets: [], stake: { stakedWei: wei, minStakeWei: '0' } })
    const { stake } = await world.attester.service.listOpen({ includeMyScore: false })
    world.wire.stand = null
    expect(stake?.stakedWei).toBe(2n ** 256n - 1n)
  },
})

onList(
  'An asset has id, title, mediaContext, contentHash (0x and 64 hex characters), uri, status, mediaType, turnaround and scoreCount (integer).',
  'Resources, MediaAsset; Limits',
  {
    sandbox: async () => {
      const { id } = await world.newAsset()
      await world.asAttester('POST', `${MEDIA}/${id}/scores`, SCORE)
      const asset = (await list()).json.assets.find((one: { id: string }) => one.id === id)
      expect(asset).toMatchObject({
        title: expect.any(String),
        mediaContext: expect.any(String),
        contentHash: expect.stringMatching(BYTES32),
        uri: expect.stringMatching(/^ipfs:\/\//),
        status: 'open',
        mediaType: 'image',
        turnaround: 'standard',
        scoreCount: 1,
      })
    },
    client: async () => {
      expect(await read({})).toEqual([expect.objectContaining({ id: 'asset-1', contentHash: HASH, scoreCount: 0 })])
      const wrong = [{ id: 7 }, { contentHash: '0x12' }, { uri: 1 }]
      for (const changes of wrong) expect(await read(changes), JSON.stringify(changes)).toEqual([])
      // No score depends on these: an asset whose count cannot be read is not taken for one without scores.
      for (const scoreCount of ['1', 0.5, null, undefined]) {
        const nothing = { title: null, mediaContext: null, scoreCount }
        expect(await read(nothing)).toEqual([
          expect.objectContaining({ title: '', mediaContext: '', scoreCount: null }),
        ])
      }
    },
  },
)

onList('mediaContext has at most 200 characters and may be empty.', 'Resources, MediaAsset; Limits', {
  sandbox: async () => {
    const contexts = (await list()).json.assets.map((asset: { mediaContext: string }) => [...asset.mediaContext].length)
    expect(Math.max(...contexts)).toBeLessThanOrEqual(200)
    expect(contexts).toContain(0)
  },
  client: async () => {
    expect((await read({ mediaContext: '' }))[0]?.mediaContext).toBe('')
    expect((await read({ mediaContext: 'x'.repeat(5_000) }))[0]?.mediaContext.length).toBeLessThanOrEqual(200)
  },
})

onList('mediaType is image, audio, video_short, video_long or text.', 'Resources, MediaAsset', {
  sandbox: async () => {
    for (const mediaType of ['image', 'audio', 'video_short', 'video_long', 'text'] as const) {
      await world.sandbox.registerFile(`${mediaType}.bin`, { content: Buffer.from(mediaType), mediaType })
    }
    const kinds = new Set((await list()).json.assets.map((asset: { mediaType: string }) => asset.mediaType))
    expect([...kinds].sort()).toEqual(['audio', 'image', 'text', 'video_long', 'video_short'])
  },
  client: async () => {
    for (const mediaType of ['image', 'audio', 'video_short', 'video_long', 'text']) {
      expect((await read({ mediaType }))[0]?.mediaType).toBe(mediaType)
    }
    expect((await read({ mediaType: 'hologram' }))[0]?.mediaType).toBeNull()
  },
})

onList('turnaround is standard or priority_5min.', 'Resources, MediaAsset', {
  sandbox: async () => {
    const content = Buffer.from('urgent')
    const { id } = await world.sandbox.registerFile('urgent.png', { content, turnaround: 'priority_5min' })
    const asset = (await list()).json.assets.find((one: { id: string }) => one.id === id)
    expect(asset.turnaround).toBe('priority_5min')
  },
  client: async () => {
    expect((await read({ turnaround: 'priority_5min' }))[0]?.turnaround).toBe('priority_5min')
    expect((await read({ turnaround: 'yesterday' }))[0]?.turnaround).toBe('standard')
  },
})

onList(
  'status is open for every asset returned; an asset that is not open is not listed.',
  'Resources, MediaAsset; States',
  {
    sandbox: async () => {
      const { id } = await world.newAsset()
      world.sandbox.world.assets.switch(id, 'closed')
      const { assets } = (await list()).json
      expect(assets.map((asset: { id: string }) => asset.id)).not.toContain(id)
      expect(new Set(assets.map((asset: { status: string }) => asset.status))).toEqual(new Set(['open']))
    },
    client: async () => {
      expect(await read({ status: 'open' })).toHaveLength(1)
      expect(await read({ status: 'finalized' })).toEqual([])
    },
  },
)

onList(
  "With includeMyScore=1 an asset carries myScore { submitted, deepfakeRiskScore } if the key's wallet already scored it; else it has none.",
  'Endpoints; Resources, myScore',
  {
    sandbox: async () => {
      const [scored, fresh] = [await world.newAsset(), await world.newAsset()]
      await world.asAttester('POST', `${MEDIA}/${scored.id}/scores`, SCORE)
      const mine = async (target: string) =>
        Object.fromEntries(
          (await list(target)).json.assets.map((one: { id: string; myScore?: unknown }) => [one.id, one.myScore]),
        )
      const asked = await mine(`${MEDIA}?includeMyScore=1`)
      expect(asked[scored.id]).toMatchObject({ submitted: true, deepfakeRiskScore: SCORE.deepfakeRiskScore })
      expect(asked[fresh.id]).toBeUndefined()
      expect((await mine(MEDIA))[scored.id]).toBeUndefined()
      expect((await mine(`${MEDIA}?includeMyScore=0`))[scored.id]).toBeUndefined()
    },
    client: async () => {
      const { service } = world.attester
      const scored = await world.newAsset()
      await world.asAttester('POST', `${MEDIA}/${scored.id}/scores`, SCORE)
      const mine = async (includeMyScore: boolean) =>
        (await service.listOpen({ includeMyScore })).assets.find(({ id }) => id === scored.id)?.myScore
      expect(await mine(true)).toBe(SCORE.deepfakeRiskScore / 100)
      expect(world.wire.last('GET', MEDIA).target).toBe(`${MEDIA}?includeMyScore=1`)
      expect(await mine(false)).toBeUndefined()
      expect(world.wire.last('GET', MEDIA).target).toBe(MEDIA)
      expect((await read({}))[0]?.myScore).toBeNull()
    },
  },
)

onList('Counts toward the rate limit of the access key.', 'Endpoints; Limits', {
  sandbox: async () => {
    const limited = await startSandbox({ rateLimit: { requests: 2, windowMs: 60_000 } })
    const ask = (key = limited.attesterKey) => sendSigned(limited.url, key, { method: 'GET', target: MEDIA })
    const statuses = [(await ask()).status, (await ask()).status, (await ask()).status]
    const other = limited.control.createKey({ kind: 'attester' })
    const third = await ask({ ...other, wallet: '' })
    await limited.close()
    expect(statuses).toEqual([200, 200, 429])
    expect(third.status).toBe(200)
  },
  client: async () => {
    world.wire.stand = (request, response) => {
      if (!request.target.startsWith(MEDIA)) return false
      response.writeHead(429, { 'retry-after': '7', 'content-type': 'application/json' }).end('{}')
      return true
    }
    await expect(world.attester.service.listOpen({ includeMyScore: false })).rejects.toMatchObject({
      reason: 'service-rate-limited',
      retryAfterMs: 7_000,
    })
  },
})

onOne('Returns the asset with the id in the path.', 'Endpoints', {
  sandbox: async () => {
    const { id } = await world.newAsset()
    const { status, body } = await world.asAttester('GET', `${MEDIA}/${id}`)
    expect(status).toBe(200)
    expect(body.toString()).toContain(`"id":${JSON.stringify(id)}`)
  },
  client: async () => {
    const { id } = await world.newAsset()
    expect((await world.attester.service.find(id))?.id).toBe(id)
    await world.attester.service.find('a/b c?d')
    expect(world.wire.requests.at(-1)?.target).toBe(`${MEDIA}/a%2Fb%20c%3Fd?includeMyScore=1`)
    expect(world.wire.requests.at(-1)?.status).toBe(404)
  },
})

onOne('includeMyScore works as in the list.', 'Endpoints', {
  sandbox: async () => {
    const { id } = await world.newAsset()
    const mine = async (query: string) => (await world.asAttester('GET', `${MEDIA}/${id}${query}`)).json.asset.myScore
    expect(await mine('?includeMyScore=1')).toBeUndefined()
    await world.asAttester('POST', `${MEDIA}/${id}/scores`, SCORE)
    expect(await mine('?includeMyScore=1')).toMatchObject({ submitted: true, deepfakeRiskScore: 42.5 })
    expect(await mine('')).toBeUndefined()
  },
  client: async () => {
    const { id } = await world.newAsset()
    expect((await world.attester.service.find(id))?.myScore).toBeNull()
    await world.asAttester('POST', `${MEDIA}/${id}/scores`, SCORE)
    expect((await world.attester.service.find(id))?.myScore).toBe(0.425)
  },
})

onOne('404 when the asset is not in status open.', 'Endpoints; States; Errors', {
  sandbox: async () => {
    const { id } = await world.newAsset()
    world.sandbox.world.assets.switch(id, 'closed')
    expect((await world.asAttester('GET', `${MEDIA}/${id}`)).status).toBe(404)
    expect((await world.asSubmitter('GET', `${MEDIA}/${id}`)).status).toBe(404)
    expect((await world.asAttester('GET', `${MEDIA}/never-registered`)).status).toBe(404)
  },
  client: async () => {
    const { id } = await world.newAsset()
    world.sandbox.world.assets.switch(id, 'closed')
    expect(await world.attester.service.find(id)).toBeNull()
  },
})
