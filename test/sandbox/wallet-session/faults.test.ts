import { beforeAll, describe, expect, it } from 'vitest'
import type { FaultRoute } from '../../../src/sandbox/faults/faults.js'
import { uploadFile } from '../../support/sandbox-requests.js'
import { refusal, registration, SessionBench } from './session-bench.js'

const bench = SessionBench.forAll()
const tokens = { attester: '', submitter: '' }
beforeAll(async () => {
  tokens.attester = await bench.token('attester')
  tokens.submitter = await bench.token('submitter')
})

/** One request of each route that can fail, which would pass. */
const REQUESTS: [FaultRoute, () => Promise<{ status: number; json: { error: string } }>][] = [
  ['health', () => bench.call('GET', '/health')],
  ['challenge', () => bench.challenge(bench.attester.address)],
  ['session', () => bench.signIn(bench.attester)],
  ['time', () => bench.call('GET', '/v1/chain/latest', { token: tokens.attester })],
  ['list', () => bench.call('GET', '/v1/assets/open', { token: tokens.attester })],
  ['one', async () => bench.call('GET', `/v1/assets/${(await bench.newAsset()).id}`, { token: tokens.attester })],
  ['score', async () => post(await bench.newAsset())],
  ['stream', () => bench.call('GET', '/v1/stream/open-assets', { token: tokens.attester })],
  [
    'register',
    () => bench.call('POST', '/v1/assets', { token: tokens.submitter, body: registration(bench.submitter.address) }),
  ],
  [
    'upload',
    () => uploadFile(bench.sandbox.url, { target: '/v1/media/upload', token: tokens.submitter, content: 'x' }),
  ],
  [
    'owned',
    () => bench.call('GET', `/v1/assets/by-owner?owner=${bench.submitter.address}`, { token: tokens.submitter }),
  ],
]

async function post(asset: Awaited<ReturnType<SessionBench['newAsset']>>) {
  const body = await bench.score(asset)
  return bench.call('POST', `/v1/assets/${asset.id}/scores`, { token: tokens.attester, body })
}

describe.each(REQUESTS)('%s', (route, request) => {
  it('fails as the plan states, in the words of this API, and is counted', async () => {
    bench.sandbox.world.faults.setPlan({ rules: [{ route, fault: 'status-503', attempts: [1] }] })
    expect(refusal((await request()) as never)).toEqual([503, 'Fault status-503, attempt 1.'])
    expect(bench.sandbox.world.faults.injected()).toMatchObject([{ route, kind: 'status-503' }])
  })
})

it.each(['garbage', 'wrong-shape'] as const)('%s: 200 or 201 with a body that is no score', async (fault) => {
  bench.sandbox.world.faults.setPlan({ rules: [{ route: 'score', fault }] })
  const { status, json } = await post(await bench.newAsset())
  expect([status, json?.score]).toEqual([201, undefined])
  expect(bench.sandbox.scores()).toHaveLength(1)
})

it('a fault that handles no request stores nothing and states so in the history', async () => {
  bench.sandbox.world.faults.setPlan({ rules: [{ route: 'score', fault: 'reset' }] })
  await expect(post(await bench.newAsset())).rejects.toThrow()
  expect(bench.sandbox.scores()).toEqual([])
  expect(bench.sandbox.world.scores.attempts()).toMatchObject([{ fault: 'reset', outcome: 'fault' }])
})

it('a score that is stored late is judged by its arrival', async () => {
  const late = { route: 'score', fault: 'late-store', ms: 60_000 } as const
  bench.sandbox.world.faults.setPlan({ rules: [late] })
  const lost = post(await bench.newAsset()).catch(() => 'lost')
  await bench.clock.untilSleeping(2)
  await bench.clock.advance(60_000)
  while (bench.sandbox.world.scores.attempts()[0]?.outcome === 'pending') await new Promise(setImmediate)
  expect(bench.sandbox.world.scores.attempts()).toMatchObject([{ fault: 'late-store', outcome: 'stored' }])
  await bench.close()
  expect(await lost).toBe('lost')
})
