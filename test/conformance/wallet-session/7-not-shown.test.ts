import { expect, type TestContext } from 'vitest'
import { asRisk } from '../../../src/core/risk.js'
import type { ServiceEvent } from '../../../src/service/port.js'
import { rulesOf } from '../../support/conformance.js'
import { OTHER_SHAPES, type OtherShape } from '../../support/other-shapes.js'
import { startSandbox } from '../../support/sandbox.js'
import { send } from '../../support/sandbox-requests.js'
import { answering } from '../../support/wire-recorder.js'
import { WalletSessionWorld } from './world.js'

/** Rules that leave a shape open: the client takes what can mean one thing only, and names the shape of anything else. */
const on = rulesOf('wallet-session')
const onChallenge = on('GET /v1/auth/challenge')
const HOUR_MS = 3_600_000

/** A sandbox that speaks another shape. */
async function speaking(shape: OtherShape | null, { onTestFinished }: TestContext): Promise<WalletSessionWorld> {
  const world = new WalletSessionWorld()
  await world.open(shape === null ? {} : { shapes: OTHER_SHAPES[shape] })
  onTestFinished(() => world.close())
  return world
}

async function keysOf(world: WalletSessionWorld, target: string): Promise<string[]> {
  return Object.keys((await world.get(target, { as: 'attester' })).json)
}

on('GET /v1/chain/latest')('The field names of number and time are not shown.', 'Resources, Chain time result', {
  sandbox: async (context) => {
    const world = await speaking('time-prefixed', context)
    expect(await keysOf(world, '/v1/chain/latest')).toEqual(['chainId', 'latestBlockNumber', 'latestBlockTimestamp'])
  },
  client: async (context) => {
    for (const shape of ['time-latest-block', 'time-prefixed', 'time-block', 'time-iso'] as const) {
      const world = await speaking(shape, context)
      const { clock } = world.asAttester()
      await clock.ready()
      expect(Math.abs(clock.state().offsetMs!), shape).toBeLessThan(10_000)
    }
    const world = await speaking(null, context)
    world.wire.stand = answering('/v1/chain/latest', 200, { height: 7, when: { at: 'now' } })
    await expect(world.asAttester().clock.ready()).rejects.toThrow('the keys height, when (at)')
  },
})

on('GET /v1/assets/open')('The key of the list is not shown.', 'Endpoints', {
  sandbox: async (context) => {
    expect(await keysOf(await speaking('list-results', context), '/v1/assets/open')).toEqual(['results'])
  },
  client: async (context) => {
    for (const shape of ['list-data', 'list-results', 'list-open'] as const) {
      const world = await speaking(shape, context)
      const { id } = await world.newAsset()
      const { assets } = await world.asAttester().service.listOpen({ includeMyScore: false })
      expect(assets, shape).toMatchObject([{ id }])
    }
    const world = await speaking(null, context)
    world.wire.stand = answering('/v1/assets/open', 200, { page: 1, rows: ['secret'] })
    const refused = await world
      .asAttester()
      .service.listOpen({ includeMyScore: false })
      .catch((error) => error)
    expect(refused).toMatchObject({ reason: 'service-reply-invalid' })
    expect(refused.message).toContain('it holds no list; it is an object with the keys page, rows')
    expect(refused.message).not.toContain('secret')
  },
})

on('GET /v1/assets/:id')('The keys of one asset, its scores and its aggregate are not shown.', 'Endpoints', {
  sandbox: async (context) => {
    const world = await speaking('asset-data', context)
    const { id } = await world.newAsset()
    expect(await keysOf(world, `/v1/assets/${id}`)).toEqual(['data'])
  },
  client: async (context) => {
    const world = await speaking('asset-data', context)
    const { id, contentHash } = await world.newAsset()
    const { service, clock } = world.asAttester()
    await clock.ready()
    expect(await service.find(id)).toMatchObject({ id, myScore: null })
    const score = { assetId: id, contentHash, risk: asRisk(0.25), algorithm: 'a', notes: '' }
    await service.submit(score, clock.now())
    expect(await service.find(id)).toMatchObject({ id, myScore: 0.25, scoreCount: 1 })
    world.wire.stand = answering(`/v1/assets/${id}`, 200, { data: { name: 'x' } })
    await expect(service.find(id)).rejects.toThrow('it is an object with the keys data (name)')
  },
})

on('GET /v1/stream/open-assets')('The payload of an event is not shown: it may name assets alone.', 'Events', {
  sandbox: '– its events carry the assets, and their ids alone only for this test',
  client: async (context) => {
    for (const shape of ['event-ids', 'event-texts'] as const) {
      const world = await speaking(shape, context)
      // More than are asked for one by one.
      const first = await Promise.all(Array.from({ length: 9 }, () => world.newAsset()))
      const seen: ServiceEvent[] = []
      const stop = new AbortController()
      for await (const event of world.asAttester().service.watch(stop.signal)) {
        if (event.kind === 'snapshot') await world.newAsset()
        if (event.kind === 'snapshot' || event.kind === 'delta') seen.push(event)
        if (event.kind === 'delta') stop.abort()
      }
      const [snapshot, delta] = seen
      expect(snapshot).toMatchObject({ kind: 'snapshot', ids: first.map(({ id }) => id) })
      expect(snapshot).toMatchObject({ assets: first.map(({ contentHash }) => ({ contentHash })) })
      expect(delta).toMatchObject({ kind: 'delta', assets: [{ title: 'file-9.png' }] })
    }
  },
})

onChallenge('The form of the text is not shown.', 'Resources, Challenge', {
  sandbox: async (context) => {
    const world = await speaking('challenge-crlf', context)
    expect((await world.challenge(world.attester.address)).json.message).toContain('\r\nNonce: ')
  },
  client: async (context) => {
    for (const shape of ['challenge-crlf', 'challenge-tab', 'challenge-terms'] as const) {
      const world = await speaking(shape, context)
      // The sandbox takes the signature of the exact text alone.
      expect((await world.asAttester().session.facts()).roles, shape).toContain('attester')
    }
  },
})

onChallenge('It expires in service time.', 'Resources, Challenge; Limits', {
  sandbox: async (context) => {
    const sandbox = await startSandbox({ clockOffsetMs: HOUR_MS })
    context.onTestFinished(() => sandbox.close())
    const target = `/v1/auth/challenge?address=${sandbox.wallets.attester.address}`
    const { expiresAt } = (await send(sandbox.url, { method: 'GET', target, headers: {} })).json
    expect(Math.abs(expiresAt * 1000 - Date.now() - HOUR_MS)).toBeLessThan(10 * 60_000)
  },
  client: async (context) => {
    for (const dateOffsetMs of [0, null]) {
      const world = new WalletSessionWorld()
      await world.open({ clockOffsetMs: -HOUR_MS, dateOffsetMs })
      context.onTestFinished(() => world.close())
      // The recorder would state a Date of its own.
      const serviceUrl = world.sandbox.url
      const { session } = world.asAttester({ serviceUrl })
      // A service that states no time is not judged by the local clock.
      expect((await session.facts()).roles).toContain('attester')
    }
  },
})
