import { describe, expect, it, onTestFinished } from 'vitest'
import { AttestdError } from '../../src/core/errors.js'
import { asRisk } from '../../src/core/risk.js'
import { createSignedKeyService, type SignedKeyOptions } from '../../src/service/signed-key/attester-service.js'
import { failure } from '../support/failure.js'
import { ManualClock } from '../support/manual-clock.js'
import {
  ACCESS_KEY,
  defaultsFor,
  type Handler,
  LocalServer,
  SIGNING_SECRET,
  sendJson,
  WIRE_STAKE,
  wireAsset,
  wrongWith,
} from './local-service.js'

// The rules of the service's document are checked by test/conformance; here is what the client does beyond them.

/** A service that states its time and checks signatures before the handler sees a request. */
async function setUp(handler: Handler, options: Partial<SignedKeyOptions> & { offset?: number } = {}) {
  const clock = new ManualClock()
  const world = { offset: options.offset ?? 0, prefix: 'service', times: 0 }
  const server = await LocalServer.start((request, response) => {
    const now = clock.now() + world.offset
    if (request.target === '/api/v1/time') {
      world.times++
      return sendJson(response, 200, { serverTime: now })
    }
    const isSigned = request.target.startsWith('/api/v1/attester') || request.target.startsWith('/api/v1/submitter')
    const wrong = isSigned ? wrongWith(request, now, world.prefix) : null
    if (wrong) return sendJson(response, 401, { error: wrong })
    return handler(request, response)
  })
  const malformed: { what: string; id: string | null; message: string }[] = []
  const built = createSignedKeyService({
    ...defaultsFor(server.url),
    accessKey: ACCESS_KEY,
    signingSecret: SIGNING_SECRET,
    requestTimeoutMs: 5_000,
    clock,
    onMalformed: (event) => malformed.push(event),
    ...options,
  })
  onTestFinished(() => server.stop())
  onTestFinished(built.close)
  const signed = () => server.seen.filter((request) => request.target !== '/api/v1/time')
  return { ...built, server, clockOfTest: clock, world, malformed, signed }
}

const list = (assets: unknown[], stake: unknown = WIRE_STAKE): Handler => {
  return (_, response) => sendJson(response, 200, { assets, stake })
}

const scored: Handler = (request, response) => {
  const id = decodeURIComponent(request.target.split('/').at(-2)!)
  const { deepfakeRiskScore } = JSON.parse(request.body) as { deepfakeRiskScore: number }
  const attesterAddress = `0x${'1'.repeat(40)}`
  sendJson(response, 200, { score: { id: 's-1', assetId: id, attesterAddress, deepfakeRiskScore }, aggregate: {} })
}

describe('listOpen', () => {
  it('returns open assets in the shape of the port, others without a report, and stake as BigInt', async () => {
    const own = { submitted: true, deepfakeRiskScore: 12.5, when: 'x' }
    const listed = [
      wireAsset('a', { extra: 1 }),
      wireAsset('b', { myScore: own }),
      wireAsset('c', { status: 'closed' }),
    ]
    const { service, malformed, signed } = await setUp(list(listed))
    const { assets, stake } = await service.listOpen({ includeMyScore: true })
    expect([assets.length, malformed]).toEqual([2, []])
    expect(assets[0]).toEqual({
      id: 'a',
      title: 'Title of a',
      mediaContext: '',
      contentHash: `0x${'ab'.repeat(32)}`,
      uri: 'ipfs://bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy',
      mediaType: 'image',
      turnaround: 'standard',
      scoreCount: 0,
      myScore: null,
    })
    expect(assets[1]?.myScore).toBe(0.125)
    expect(stake).toEqual({ stakedWei: 2000000000000000000000n, minStakeWei: 1000000000000000000n })
    expect(signed()[0]?.target).toBe('/api/v1/attester/media?includeMyScore=1')
  })

  const bad: [string, unknown][] = [
    ['no object', 'x'],
    ['a dot segment as id', wireAsset('..')],
    ['a score without a number', wireAsset('a', { myScore: { submitted: true } })],
    ['a score out of range', wireAsset('a', { myScore: { submitted: true, deepfakeRiskScore: 101 } })],
  ]
  it.each(bad)('drops an asset with %s, reports it, and keeps the others', async (_, asset) => {
    const { service, malformed } = await setUp(list([wireAsset('before'), asset, wireAsset('after')]))
    const { assets } = await service.listOpen({ includeMyScore: true })
    expect(assets.map(({ id }) => id)).toEqual(['before', 'after'])
    expect(malformed).toHaveLength(1)
    expect(malformed[0]?.what).toBe('asset')
  })

  it.each([undefined, {}, { stakedWei: '-1', minStakeWei: '0' }, { stakedWei: 1, minStakeWei: '0' }])(
    'has no stake where it is malformed: %j',
    async (stake) => {
      const { service, malformed } = await setUp((_, response) => sendJson(response, 200, { assets: [], stake }))
      expect(await service.listOpen({ includeMyScore: false })).toEqual({ assets: [], stake: null })
      expect(malformed).toMatchObject([{ what: 'stake' }])
    },
  )
})

describe('find', () => {
  it.each([
    ['the asset itself', (asset: unknown) => asset],
    ['{asset}', (asset: unknown) => ({ asset })],
    ['an asset with fields beyond those shown', (asset: object) => ({ ...asset, media: { width: 1 }, data: {} })],
    ['{media}', (asset: unknown) => ({ media: asset, more: 1 })],
    ['{mediaAsset}', (asset: unknown) => ({ mediaAsset: asset })],
    ['{data}', (asset: unknown) => ({ data: asset })],
    ['{data: {asset}}', (asset: unknown) => ({ data: { asset } })],
    ['myScore next to the asset', ({ myScore, ...asset }: { myScore?: unknown }) => ({ asset, myScore })],
    ['both in an envelope', ({ myScore, ...asset }: { myScore?: unknown }) => ({ data: { item: asset, myScore } })],
  ])('accepts %s', async (_, wrap) => {
    const own = { submitted: true, deepfakeRiskScore: 0 }
    const { service } = await setUp((_, response) => sendJson(response, 200, wrap(wireAsset('a', { myScore: own }))))
    expect(await service.find('a')).toMatchObject({ id: 'a', myScore: 0 })
  })

  it('is null for an asset that is not open', async () => {
    const { service } = await setUp((_, response) => sendJson(response, 200, wireAsset('a', { status: 'closed' })))
    expect(await service.find('a')).toBeNull()
  })

  it.each([{}, wireAsset('b'), wireAsset('a', { myScore: { submitted: 'yes' } }), { asset: 'a' }])(
    'rejects an answer of another shape or another asset: %j',
    async (reply) => {
      const { service } = await setUp((_, response) => sendJson(response, 200, reply))
      expect(await failure(service.find('a'))).toMatchObject({ reason: 'service-reply-invalid' })
    },
  )
})

describe('submit', () => {
  const score = {
    assetId: 'a/b',
    contentHash: `0x${'c'.repeat(64)}`,
    risk: asRisk(0.875),
    algorithm: 'demo-1',
    notes: 'visage – 顔 🙂',
  }

  it.each([0, 1, 0.1234, 0.0001, -0])(
    'sends the risk %d as a number in range, signed with the given time',
    async (risk) => {
      const { service, clock, signed } = await setUp(scored)
      await clock.ready()
      const signedAt = clock.now() - 7_000
      const receipt = await service.submit({ ...score, risk: asRisk(risk) }, signedAt)
      expect(receipt).toEqual({
        scoreId: 's-1',
        risk: Math.abs(risk),
        attester: `0x${'1'.repeat(40)}`,
      })
      const request = signed()[0]!
      expect(request.headers['service-timestamp']).toBe(String(signedAt))
      expect(request.target).toBe('/api/v1/attester/media/a%2Fb/scores')
      expect(JSON.parse(request.body)).toEqual({
        deepfakeRiskScore: Math.abs(risk) * 100,
        algorithm: 'demo-1',
        notes: score.notes,
      })
    },
  )

  it.each([
    [404, 'asset-closed', false],
    [410, 'asset-closed', false],
    [401, 'service-unauthorized', false],
    [409, 'score-conflict', true],
    [403, 'service-forbidden', true],
    [500, 'service-failing', true],
    [404, 'asset-closed', true, '<html>'],
    [401, 'service-unauthorized', true, '<html>'],
  ])(
    '%d is %s, and proves that nothing was stored only with an error body of the API',
    async (status, reason, ambiguous, page = '') => {
      const { service, clockOfTest, signed } = await setUp((_, response) =>
        sendJson(response, status, page || { error: 'no' }),
      )
      const error = await failure(service.submit(score, clockOfTest.now()))
      expect(error).toMatchObject({ reason, ambiguous, facts: { status } })
      expect(signed()).toHaveLength(1)
    },
  )

  it('is not sent where the last look refuses it, once the connection stands', async () => {
    const { service, clockOfTest, signed } = await setUp(scored)
    const look = () => {
      throw new AttestdError('stake-low')
    }
    const error = await failure(service.submit(score, clockOfTest.now(), undefined, look))
    expect(error).toMatchObject({ reason: 'stake-low', ambiguous: false })
    expect(signed()).toEqual([])
  })

  it('is sent once even after a 401, which refreshes the clock', async () => {
    const { service, clock, clockOfTest, world, signed } = await setUp(scored)
    await clock.ready()
    clockOfTest.tick(2_000)
    world.offset = 90_000
    expect(await failure(service.submit(score, clock.now()))).toMatchObject({
      reason: 'service-unauthorized',
      ambiguous: false,
    })
    expect(signed()).toHaveLength(1)
    await service.submit(score, clock.now())
    expect(signed()).toHaveLength(2)
  })

  it.each([
    [
      'another asset',
      { score: { id: 's', assetId: 'b', attesterAddress: `0x${'1'.repeat(40)}`, deepfakeRiskScore: 1 } },
    ],
    ['no score', { aggregate: {} }],
  ])('is not confirmed by a receipt with %s', async (_, reply) => {
    const { service, clockOfTest } = await setUp((_, response) => sendJson(response, 200, reply))
    expect(await failure(service.submit(score, clockOfTest.now()))).toMatchObject({
      reason: 'service-reply-invalid',
      ambiguous: true,
    })
  })
})

describe('the clock', () => {
  it('is read again after a 401, and the request repeated once where it had moved', async () => {
    const { service, clockOfTest, world, signed } = await setUp(list([]))
    await service.listOpen({ includeMyScore: false })
    clockOfTest.tick(2_000)
    world.offset = 120_000
    await service.listOpen({ includeMyScore: false })
    expect(signed()).toHaveLength(3)
  })

  it('is not blamed for a 401 where it had not moved', async () => {
    const { service, world, clockOfTest, signed } = await setUp(list([]), { signingSecret: 'another' })
    expect(await failure(service.listOpen({ includeMyScore: false }))).toMatchObject({ reason: 'service-unauthorized' })
    const asked = world.times
    clockOfTest.tick(2_000)
    expect(await failure(service.listOpen({ includeMyScore: false }))).toMatchObject({ reason: 'service-unauthorized' })
    expect(signed()).toHaveLength(2)
    expect(world.times).toBeGreaterThan(asked)
  })

  it('that cannot be read prevents signed requests', async () => {
    const server = await LocalServer.start((_, response) => sendJson(response, 503, {}, { 'retry-after': '4' }))
    onTestFinished(() => server.stop())
    const { service } = await setUp(list([]), { serviceUrl: server.url })
    expect(await failure(service.listOpen({ includeMyScore: false }))).toMatchObject({
      reason: 'service-failing',
      retryAfterMs: 4_000,
      ambiguous: false,
    })
    expect(server.seen.map(({ target }) => target)).toEqual(['/api/v1/time'])
  })
})

describe('the other routes', () => {
  it('name the missing key where they need one', async () => {
    const { service } = await setUp(list([]), { accessKey: '', signingSecret: '' })
    expect(await failure(service.listOpen({ includeMyScore: false }))).toMatchObject({ reason: 'setting-missing' })
  })

  it('use another header prefix where it is set', async () => {
    const { service, world } = await setUp(list([]), { headerPrefix: 'X-Brand' })
    world.prefix = 'x-brand'
    expect((await service.listOpen({ includeMyScore: false })).assets).toEqual([])
  })
})
