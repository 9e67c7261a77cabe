import { describe, expect, it, vi } from 'vitest'
import { AttestdError } from '../../../src/core/errors.js'
import { asRisk } from '../../../src/core/risk.js'
import { failure } from '../../support/failure.js'
import { type Handler, sendJson } from '../local-service.js'
import { account, bench, CHAIN_ID, OTHER_ADDRESS, specAsset } from './local-wallet-service.js'

const ASKED = { includeMyScore: true }
const always = (value: unknown, status = 200): Handler => {
  return (_, response) => sendJson(response, status, value)
}
const own = (changes: Record<string, unknown> = {}) => ({
  attesterAddress: account.address,
  deepfakeRiskBps: 1234,
  ...changes,
})

describe('listOpen', () => {
  it('returns open assets with the stated fields only in the shape of the port, others without a report, and no stake', async () => {
    const listed = [specAsset('a'), specAsset('b', { status: 'closed' })]
    const { service, malformed, server } = await bench(always({ assets: listed }))
    const { assets, stake } = await service.listOpen(ASKED)
    expect(malformed).toEqual([])
    expect(assets).toEqual([
      {
        id: 'a',
        title: 'Title of a',
        mediaContext: '',
        contentHash: `0x${'ab'.repeat(32)}`,
        uri: 'ipfs://bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy',
        mediaType: null,
        turnaround: 'standard',
        closesAt: Date.UTC(2026, 0, 1, 12),
        scoreCount: null,
      },
    ])
    expect(stake).toBeNull()
    expect(server.seen.at(-1)?.target).toBe('/v1/assets/open')
  })

  it.each<[string, unknown]>([
    ['a list', [specAsset('a')]],
    ['assets', { assets: [specAsset('a')] }],
    ['openAssets', { openAssets: [specAsset('a')], total: 1 }],
    ['items', { items: [{ asset: specAsset('a'), scoreCount: 0 }] }],
    ['assetId as the id', { assets: [specAsset('x', { id: undefined, assetId: 'a' })] }],
  ])('reads %s', async (_, reply) => {
    const { service } = await bench(always(reply))
    expect((await service.listOpen(ASKED)).assets.map(({ id }) => id)).toEqual(['a'])
  })

  it('reads fields beyond the stated ones, and ignores unusable ones', async () => {
    const assets = [
      specAsset('a', { mediaType: 'audio', turnaround: 'priority_5min', scoreCount: 3 }),
      specAsset('b', { mediaType: 'hologram', turnaround: 'soon', scoreCount: -1, aggregate: { count: 2 } }),
      specAsset('7', { id: 7, scores: [own()] }),
    ]
    const { service } = await bench(always({ assets }))
    expect((await service.listOpen(ASKED)).assets).toMatchObject([
      { id: 'a', mediaType: 'audio', turnaround: 'priority_5min', scoreCount: 3 },
      { id: 'b', mediaType: null, turnaround: 'standard', scoreCount: 2 },
      { id: '7', scoreCount: 1, myScore: 0.1234 },
    ])
  })

  it('knows the own score only where it was requested and the records show scores', async () => {
    const assets = [
      specAsset('none', { scores: [] }),
      specAsset('mine', { scores: [own()] }),
      specAsset('hidden', { scores: [{ deepfakeRiskBps: 1 }] }),
      specAsset('silent', { scoreCount: 4 }),
    ]
    const { service } = await bench(always({ assets }))
    const known = (await service.listOpen(ASKED)).assets.map(({ myScore }) => myScore)
    expect(known).toEqual([null, 0.1234, undefined, undefined])
    const unasked = await service.listOpen({ includeMyScore: false })
    expect(unasked.assets.map(({ myScore }) => myScore)).toEqual([undefined, undefined, undefined, undefined])
  })

  it('drops malformed assets, reports each, and loses nothing else', async () => {
    const bad: unknown[] = [
      'x',
      null,
      [],
      specAsset('a', { id: undefined }),
      specAsset(''),
      specAsset('..'),
      specAsset('a\u0000'),
      specAsset('\ud800'),
      specAsset('a'.repeat(513)),
      specAsset('a', { id: { id: 'a' } }),
      specAsset('a', { contentHash: '0x12' }),
      specAsset('a', { contentHash: undefined }),
      specAsset('a', { uri: '' }),
      specAsset('a', { uri: 7 }),
      specAsset('a', { title: null }),
      specAsset('a', { mediaContext: {} }),
      specAsset('a', { status: undefined }),
    ]
    const { service, malformed } = await bench(always({ assets: [...bad, specAsset('good')] }))
    expect((await service.listOpen(ASKED)).assets.map(({ id }) => id)).toEqual(['good'])
    expect(malformed.map(({ what }) => what)).toEqual(bad.map(() => 'asset'))
    expect(malformed.at(-1)).toMatchObject({ id: 'a', message: expect.stringContaining('status') })
  })

  it.each([{}, { assets: {} }, 'x', null, 7])('is rejected where the answer is %j', async (reply) => {
    const { service } = await bench(always(reply))
    expect(await failure(service.listOpen(ASKED))).toMatchObject({ reason: 'service-reply-invalid', ambiguous: false })
  })
})

describe('find', () => {
  const at = (createdAt: unknown, deepfakeRiskBps: number) => own({ createdAt, deepfakeRiskBps })
  it.each<[string, unknown[], number | null]>([
    ['none', [], null],
    ['another attester’s alone', [own({ attesterAddress: OTHER_ADDRESS })], null],
    ['basis points', [own()], 0.1234],
    ['a percentage', [own({ deepfakeRiskBps: undefined, deepfakeRiskScore: 87.654 })], 0.8765],
    ['an authenticity', [own({ deepfakeRiskBps: undefined, authenticityScore: 12.35 })], 0.8765],
    ['nought', [own({ deepfakeRiskBps: 0 })], 0],
    ['numbers as texts', [own({ deepfakeRiskBps: '10000' })], 1],
    ['verifierAddress', [{ verifierAddress: account.address.toLowerCase(), deepfakeRiskBps: 5 }], 0.0005],
    ['verifier', [{ verifier: account.address, deepfakeRiskBps: 5 }], 0.0005],
    ['an attester with an address', [{ attester: { address: account.address }, deepfakeRiskBps: 5 }], 0.0005],
    ['the newest by ISO time', [at('2026-01-02T00:00:00Z', 200), at('2026-01-01T00:00:00Z', 100)], 0.02],
    ['the newest by Unix time', [at(1_760_000_002, 200), at(1_760_000_001, 100)], 0.02],
    ['the last where none says a time', [own({ deepfakeRiskBps: 100 }), own({ deepfakeRiskBps: 200 })], 0.02],
    ['one among those that cannot be read', [{ deepfakeRiskBps: 9 }, null, own()], 0.1234],
  ])('reads the own score: %s', async (_, scores, expected) => {
    const { service } = await bench(always({ asset: specAsset('a'), scores, aggregate: {} }))
    expect((await service.find('a'))?.myScore).toBe(expected)
    const inside = await bench(always(specAsset('a', { scores })))
    expect((await inside.service.find('a'))?.myScore).toBe(expected)
  })

  it.each<[string, unknown]>([
    ['an own score without a risk', { asset: specAsset('a'), scores: [own({ deepfakeRiskBps: undefined })] }],
    ['a risk out of range', { asset: specAsset('a'), scores: [own({ deepfakeRiskBps: 10_001 })] }],
    ['a score of nobody', { asset: specAsset('a'), scores: [{ deepfakeRiskBps: 1 }] }],
    ['scores that are no records', { asset: specAsset('a'), scores: ['x'] }],
    ['scores that are counted and not shown', { asset: specAsset('a', { scoreCount: 1 }) }],
    ['a list that is cut', { asset: specAsset('a'), scores: [own({ attesterAddress: OTHER_ADDRESS })], scoreCount: 2 }],
    ['an empty list of several', { asset: specAsset('a'), scores: [], aggregate: { count: 3 } }],
    ['another asset', { asset: specAsset('b'), scores: [] }],
    ['no asset', { scores: [] }],
    ['a malformed asset', { asset: specAsset('a', { contentHash: 'x' }), scores: [] }],
  ])('does not return "none on record" where the answer has %s', async (_, reply) => {
    const { service } = await bench(always(reply))
    expect(await failure(service.find('a'))).toMatchObject({ reason: 'service-reply-invalid', ambiguous: false })
  })

  it('returns an asset that closed where it holds the own score', async () => {
    const reply = { asset: specAsset('a', { status: 'closed' }), scores: [own({ algorithm: 'theirs@2' })] }
    const { service } = await bench(always(reply))
    expect(await service.find('a')).toMatchObject({ id: 'a', myScore: 0.1234, myAlgorithm: 'theirs@2' })
  })

  it.each(['a/b c', 'ünï/顔', '100%', 'a%2Fb', '?x=1#y', "it's!", '123'])(
    'sends the id %j encoded once',
    async (id) => {
      const { service, server } = await bench(always({ asset: specAsset(id), scores: [] }))
      expect((await service.find(id))?.id).toBe(id)
      expect(server.seen.at(-1)?.target).toBe(`/v1/assets/${encodeURIComponent(id)}`)
    },
  )

  it('refuses an id that cannot be part of a path, before the request', async () => {
    const { service, server } = await bench(always({}))
    for (const id of ['..', '.', '', '\ud800']) {
      expect(await failure(service.find(id))).toMatchObject({ reason: 'request-invalid' })
    }
    expect(server.seen).toEqual([])
  })
})

describe('submit', () => {
  const score = {
    assetId: 'a/b',
    contentHash: `0x${'c'.repeat(64)}`,
    risk: asRisk(0.8765),
    algorithm: 'demo-1',
    notes: 'visage – 顔 🙂',
  }
  const record = { id: 's-1', assetId: 'a/b', attesterAddress: account.address, deepfakeRiskBps: 8765 }
  const posts = ({ server }: Awaited<ReturnType<typeof bench>>) =>
    server.seen.filter(({ target }) => target.endsWith('/scores'))

  it('attests first, then sends every number of the one risk, and the attestation', async () => {
    const built = await bench(always({ score: record, aggregate: {} }, 201))
    const { service, clock, attested } = built
    expect(await service.submit(score, clock.now())).toEqual({
      scoreId: 's-1',
      risk: 0.8765,
      attester: account.address.toLowerCase(),
    })
    expect(attested).toEqual([{ score, time: clock.now() / 1000 }])
    expect(posts(built).map(({ target, body }) => [target, JSON.parse(body)])).toEqual([
      [
        '/v1/assets/a%2Fb/scores',
        {
          authenticityScore: 12.35,
          deepfakeRiskBps: 8765,
          algorithm: 'demo-1',
          notes: score.notes,
          offchainAttestation: { uid: '0x01', message: { time: String(clock.now() / 1000) } },
        },
      ],
    ])
  })

  // The chain stands at second 0, 3 behind service time, or 3 ahead of it.
  it.each<[number, number, number]>([
    [0, 0, 0],
    [999, 0, 0],
    [-1, 0, -1],
    [-2_500, 0, -3],
    [0, 3, -3],
    [-2_000, 3, -3],
    [-4_001, 3, -5],
    [0, -3, 0],
  ])('signed %d ms from now, with the chain %d s behind, it is dated %d s', async (signedMs, lagS, expected) => {
    const { service, clock, attested, world } = await bench(always({ score: record }))
    world.chainLagS = lagS
    await service.submit(score, clock.now() + signedMs)
    expect(attested.map(({ time }) => time - clock.now() / 1000)).toEqual([expected])
  })

  it.each([16, -16])('is not signed or sent where the chain is %d s behind', async (lagS) => {
    const built = await bench(always({ score: record }))
    built.world.chainLagS = lagS
    const error = await failure(built.service.submit(score, built.clock.now()))
    expect(error).toMatchObject({ reason: 'clock-untrusted', kind: 'wait', ambiguous: false })
    expect([built.attested, posts(built)]).toEqual([[], []])
  })

  it('reads the chain once for many at the same time', async () => {
    const { service, clock, count } = await bench(always({ score: { ...record, assetId: undefined } }))
    await Promise.all(
      Array.from({ length: 10 }, (_, at) => service.submit({ ...score, assetId: `a${at}` }, clock.now())),
    )
    expect(count('/v1/chain/latest')).toBe(1)
    clock.tick(1_001)
    await service.submit(score, clock.now())
    expect(count('/v1/chain/latest')).toBe(2)
  })

  it.each<[string, unknown, boolean]>([
    ['wallet-refused', new AttestdError('wallet-refused', 'no'), false],
    ['attestation-invalid', new AttestdError('attestation-invalid', 'no'), false],
    ['internal-error', new Error('boom'), false],
  ])('is not sent where the attestation fails: %s', async (reason, thrown) => {
    const built = await bench(always({ score: record }), { attest: () => Promise.reject(thrown) })
    const error = await failure(built.service.submit(score, built.clock.now()))
    expect(error).toMatchObject({ reason, ambiguous: false })
    expect(posts(built)).toEqual([])
  })

  it.each<[number, Record<string, unknown>]>([
    [400, { error: 'no such chain' }],
    [404, { error: 'a release is under way' }],
    [302, {}],
    [200, { number: 7 }],
  ])('a chain time answered with %d is no result of the score', async (status, reply) => {
    const built = await bench(always({ score: record }))
    built.world.chain = { status, reply }
    const error = await failure(built.service.submit(score, built.clock.now()))
    expect(error).toMatchObject({ reason: 'clock-untrusted', kind: 'wait', ambiguous: false })
    expect(error.facts).not.toHaveProperty('status')
    expect([built.attested, posts(built)]).toEqual([[], []])
  })

  it('a chain time that fails is no answer to the score', async () => {
    const built = await bench(always({ score: record }))
    built.world.chain = { status: 500, reply: {} }
    const error = await failure(built.service.submit(score, built.clock.now()))
    expect(error).toMatchObject({ reason: 'service-failing', ambiguous: false, facts: { timeStatus: 500 } })
    expect(error.facts).not.toHaveProperty('status')
  })

  it('a chain ahead of the known service time causes another reading', async () => {
    const built = await bench(always({ score: record }))
    await built.serviceClock.ready()
    built.world.offsetMs = 60_000
    built.clock.tick(10_000)
    const error = await failure(built.service.submit(score, built.serviceClock.now()))
    expect(error).toMatchObject({ reason: 'clock-untrusted', ambiguous: false })
    await expect.poll(() => Math.abs(built.serviceClock.now() - built.world.now())).toBeLessThan(3_000)
    await built.service.submit(score, built.serviceClock.now())
    expect(posts(built)).toHaveLength(1)
  })

  it('is not sent where the process was suspended for longer than the window before it was written', async () => {
    let isMade = false
    const attest = async () => {
      isMade = true
      return {}
    }
    const built = await bench(always({ score: record }), { attest })
    const sleep = built.clock.sleep.bind(built.clock)
    // The limit of the request begins right before it connects.
    vi.spyOn(built.clock, 'sleep').mockImplementation((ms, signal) => {
      if (isMade) built.clock.tick(30_001)
      return sleep(ms, signal)
    })
    const error = await failure(built.service.submit(score, built.clock.now()))
    expect(error).toMatchObject({ reason: 'clock-untrusted', ambiguous: false })
    expect(posts(built)).toEqual([])
  })

  it('is not sent where the last look refuses it, after the attestation', async () => {
    const order: string[] = []
    const attest = async () => {
      order.push('attested')
      return {}
    }
    const built = await bench(always({ score: record }), { attest })
    const look = () => {
      order.push('looked')
      throw new AttestdError('stake-low')
    }
    const error = await failure(built.service.submit(score, built.clock.now(), undefined, look))
    expect(error).toMatchObject({ reason: 'stake-low', ambiguous: false })
    expect(order).toEqual(['attested', 'looked'])
    expect(posts(built)).toEqual([])
  })

  it('ends at once with its signal during the attestation', async () => {
    const stop = new AbortController()
    const attest = () => {
      stop.abort(new AttestdError('draining'))
      return new Promise<never>(() => {})
    }
    const built = await bench(always({ score: record }), { attest })
    const error = await failure(built.service.submit(score, built.clock.now(), stop.signal))
    expect(error).toMatchObject({ reason: 'draining' })
    expect(posts(built)).toEqual([])
  })

  it('is not sent where a new session was needed and took longer than the window', async () => {
    const attest = async () => {
      built.clock.tick(16_000)
      return {}
    }
    const signMessage = async (text: { message: string }) => {
      built.clock.tick(15_000)
      return account.signMessage(text)
    }
    const built: Awaited<ReturnType<typeof bench>> = await bench(always({ score: record }), {
      attest,
      signer: { address: account.address, signMessage },
    })
    built.world.lifetimeMs = 10_000
    await built.session.token()
    const error = await failure(built.service.submit(score, built.clock.now()))
    expect(error).toMatchObject({ reason: 'clock-untrusted', ambiguous: false })
    expect(posts(built)).toEqual([])
  })

  it('a rejection of an expired attestation, or for its time, leads to a new one once it is settled', async () => {
    const texts: [string, number, string][] = [
      ['no', 0, 'service-refused'],
      ['the signature is wrong', 14_000, 'service-refused'],
      ['no', 16_000, 'clock-untrusted'],
      ['The attestation has expired', 0, 'clock-untrusted'],
      ['its time is outside the window', 0, 'clock-untrusted'],
      ['31000 ms behind service time', 0, 'clock-untrusted'],
    ]
    for (const [error, lateMs, reason] of texts) {
      const handler: Handler = (_, response) => {
        built.clock.tick(lateMs)
        sendJson(response, 400, { error })
      }
      const built: Awaited<ReturnType<typeof bench>> = await bench(handler)
      expect(await failure(built.service.submit(score, built.clock.now()))).toMatchObject({ reason, ambiguous: true })
    }
  })

  it('is sent once even after a 401, and the next attempt has a new session', async () => {
    let answer: Handler = (_, response) => {
      world.accepted.clear()
      sendJson(response, 401, { error: 'no' })
    }
    const built = await bench((request, response) => answer(request, response))
    const { service, clock, count, world } = built
    const error = await failure(service.submit(score, clock.now()))
    expect(error).toMatchObject({ reason: 'service-unauthorized', ambiguous: false })
    expect([posts(built).length, count('/v1/auth/session')]).toEqual([1, 1])
    answer = always({ score: record })
    await service.submit(score, clock.now())
    expect([posts(built).length, count('/v1/auth/session')]).toEqual([2, 2])
  })

  it.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ['the record itself', record, { scoreId: 's-1', risk: 0.8765 }],
    ['a number as id', { score: { ...record, id: 7 } }, { scoreId: '7' }],
    ['no id', { score: { ...record, id: undefined } }, { scoreId: null }],
    ['another risk', { score: { ...record, deepfakeRiskBps: 1 } }, { risk: 0.0001 }],
    ['no risk', { score: { ...record, deepfakeRiskBps: undefined } }, { risk: 0.8765 }],
    ['no attester', { score: { ...record, attesterAddress: undefined } }, { attester: null }],
    ['a yes alone', { ok: true }, { scoreId: null, risk: 0.8765, attester: null }],
  ])('accepts a receipt with %s', async (_, reply, expected) => {
    const { service, clock } = await bench(always(reply, 201))
    expect(await service.submit(score, clock.now())).toMatchObject(expected)
  })

  it.each<[string, unknown]>([
    ['another asset', { score: { ...record, assetId: 'b' } }],
    ['another attester', { score: { ...record, attesterAddress: OTHER_ADDRESS } }],
    ['nothing', {}],
    ['something else', { unexpected: [1] }],
    ['no object', 'ok'],
  ])('rejects a receipt of %s', async (_, reply) => {
    const { service, clock } = await bench(always(reply, 201))
    expect(await failure(service.submit(score, clock.now()))).toMatchObject({
      reason: 'service-reply-invalid',
      ambiguous: true,
    })
  })

  it('needs an attesting wallet', async () => {
    const { service, clock } = await bench(always({ score: record }), { attest: undefined as never })
    expect(await failure(service.submit(score, clock.now()))).toMatchObject({ reason: 'setting-missing' })
  })
})

describe('service time', () => {
  it.each([0, 3_600_000, -3_600_000])(
    '%d ms off the local clock is read from the chain, half a block in doubt',
    async (offsetMs) => {
      const { service, serviceClock, world, server } = await bench(always([]))
      world.offsetMs = offsetMs
      await serviceClock.ready()
      const { errorBoundMs, trusted } = serviceClock.state()
      expect(trusted).toBe(true)
      expect(errorBoundMs).toBeGreaterThanOrEqual(1_000)
      expect(Math.abs(serviceClock.now() - world.now())).toBeLessThanOrEqual(errorBoundMs!)
      expect(server.seen.at(-1)?.target).toBe(`/v1/chain/latest?chainId=${CHAIN_ID}`)
      await service.listOpen(ASKED)
    },
  )

  it('that cannot be read for lack of a session reports that', async () => {
    const { serviceClock, world } = await bench(always([]))
    world.roles = []
    expect(await failure(serviceClock.ready())).toMatchObject({ reason: 'role-missing' })
  })
})
