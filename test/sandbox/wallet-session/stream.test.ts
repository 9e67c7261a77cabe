import { afterEach, describe, expect, it } from 'vitest'
import type { SandboxOptions } from '../../../src/sandbox/sandbox-options.js'
import { StreamProbe } from '../../support/sandbox-events.js'
import { SessionBench } from './session-bench.js'

const POLL_MS = 2_000

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

/** A sandbox whose streams look when the test moves its clock, with one open asset and a reader that has its snapshot. */
async function opened(options: Partial<SandboxOptions> = {}) {
  const bench = await SessionBench.start(options)
  closing.push(() => bench.close())
  const first = await bench.newAsset()
  const token = await bench.token('attester')
  return { bench, first, token, probe: () => probeOf(bench, token) }
}

function probeOf(bench: SessionBench, token: string): StreamProbe {
  const headers = { authorization: `Bearer ${token}` }
  const probe = new StreamProbe(bench.sandbox.url, { target: '/v1/stream/open-assets', headers })
  closing.push(() => probe.close())
  return probe
}

const idsOf = ({ data }: { data: { assets: { id: string }[] } }) => data.assets.map(({ id }) => id)
const namesOf = (probe: StreamProbe) => probe.events.map(({ name }) => name)

describe('the stream', () => {
  it('reports an asset that opened again', async () => {
    const { bench, first, probe } = await opened()
    const stream = probe()
    await stream.event('snapshot')
    bench.sandbox.world.assets.switch(first.id, 'closed')
    await bench.clock.advance(POLL_MS)
    bench.sandbox.world.assets.switch(first.id, 'open')
    await bench.clock.advance(POLL_MS)
    expect(idsOf(await stream.event('new-asset'))).toEqual([first.id])
  })

  it('ends with its session', async () => {
    const { bench, probe } = await opened({ sessionMs: 10_000 })
    const stream = probe()
    await stream.event('snapshot')
    await bench.clock.advance(10_000)
    expect(await stream.ended).toBe('clean')
  })

  it('is counted, and cut by the switch', async () => {
    const { bench, probe } = await opened()
    const stream = probe()
    await stream.event('snapshot')
    expect(bench.sandbox.world.streams.size).toBe(1)
    expect(bench.sandbox.control.cutStreams()).toBe(1)
    expect(await stream.ended).toBe('broken')
  })
})

// Those that both streams share are checked by test/sandbox/stream.
describe('faults of the stream', () => {
  const faulty = (fault: 'silence' | 'garbage' | 'missed-events') =>
    opened({ faults: { rules: [{ route: 'stream', fault }] } })

  it('silence: headers and nothing more', async () => {
    const { bench, probe } = await faulty('silence')
    const stream = probe()
    expect(await stream.status).toBe(200)
    await bench.clock.advance(60_000)
    bench.sandbox.control.cutStreams()
    await stream.ended
    expect(stream.text).toBe('')
  })

  it('garbage has the names of this API, then the stream continues', async () => {
    const { probe } = await faulty('garbage')
    const stream = probe()
    const whole = await stream.event('snapshot', 3)
    expect(idsOf(whole)).toHaveLength(1)
    expect(namesOf(stream)).toContain('new-asset')
    expect(stream.text).not.toContain('open-assets')
  })

  it('missed-events: new assets are never reported', async () => {
    const { bench, probe } = await faulty('missed-events')
    const stream = probe()
    await stream.event('snapshot')
    await bench.newAsset()
    await bench.clock.advance(3 * POLL_MS)
    bench.sandbox.control.cutStreams()
    await stream.ended
    expect(namesOf(stream)).toEqual(['snapshot'])
  })
})
