import { describe, expect, it } from 'vitest'
import {
  type FetchAsk,
  FetchPool,
  type FetchPoolUse,
  freeMs,
  leastBytes,
  type Transfer,
} from '../../src/media/fetch-pool.js'
import { deferred } from '../queue/queue-support.js'
import { ManualClock } from '../support/manual-clock.js'
import { failure } from './support/media-parts.js'

const IPFS = { host: null, slowBefore: 0 }

function setUp({ connections = 8, bytes = 1e9 } = {}) {
  const clock = new ManualClock()
  const uses: FetchPoolUse[] = []
  const pool = new FetchPool({ connections, bytes, clock, onChange: (use) => uses.push(use) })
  const signal = new AbortController().signal
  /** A fetch that goes on until it is ended or aborted. */
  async function start(ask: FetchAsk = IPFS) {
    const [begun, end] = [deferred<Transfer>(), deferred()]
    const done = pool.run(ask, signal, async (transfer) => {
      begun.resolve(transfer)
      await Promise.race([
        end.promise,
        new Promise((_, reject) => transfer.signal.addEventListener('abort', () => reject(transfer.signal.reason))),
      ])
    })
    done.catch(() => {})
    return { done, end: end.resolve, transfer: await begun.promise }
  }
  return { clock, pool, uses, start }
}

describe('the minimum rate', () => {
  it('ends a slow fetch after its free time, which grows with each attempt that was too slow', async () => {
    for (const [slowBefore, ms] of [8_000, 32_000, 128_000].entries()) {
      const { clock, start } = setUp()
      const { done, transfer } = await start({ host: null, slowBefore })
      await transfer.arrived(2)
      await clock.advance(ms - 1)
      expect(transfer.signal.aborted).toBe(false)
      await clock.advance(1)
      expect(await failure(done)).toMatchObject({ reason: 'media-too-slow', kind: 'retry', facts: { bytes: 2 } })
    }
  })

  it('grows with the time used: a steady transfer is cut off once its file takes too long for a first attempt', async () => {
    const { clock, start } = setUp()
    const { done, transfer } = await start()
    const perSecond = 100_000
    let seconds = 0
    while (!transfer.signal.aborted) {
      await transfer.arrived(perSecond)
      await clock.advance(1000)
      seconds += 1
    }
    expect((await failure(done)).reason).toBe('media-too-slow')
    expect(perSecond * seconds).toBeGreaterThanOrEqual(perSecond ** 2 / 4000)
    expect(perSecond * seconds).toBeLessThan(1.1 * (perSecond ** 2 / 4000))
  })

  it('leaves the third attempt free for longer than the default time limit of a fetch', () => {
    expect(freeMs(2)).toBeGreaterThan(120_000)
    expect(leastBytes(120_000, freeMs(0))).toBe(57_600_000)
  })

  it('does not apply to a fetch without a rate', async () => {
    const { clock, start } = setUp()
    const { done, end } = await start({ host: null, slowBefore: undefined })
    await clock.advance(3_600_000)
    end()
    expect(await done).toBeUndefined()
  })
})

describe('shares', () => {
  it('give media that was too slow before half of the connections, and others continue', async () => {
    const { start, uses, pool } = setUp({ connections: 4 })
    const later = { host: null, slowBefore: 1 }
    const first = await start(later)
    await start(later)
    expect(await failure(pool.run(later, new AbortController().signal, async () => {}))).toMatchObject({
      reason: 'media-busy',
      kind: 'wait',
    })
    await start()
    expect(uses.at(-1)).toMatchObject({ first: 1, later: 2 })
    first.end()
    await first.done
    await start(later)
  })

  it('give one host a quarter of them, once its fetches are slow', async () => {
    const { clock, pool, start } = setUp({ connections: 8 })
    const slowHost = { host: 'slow.example', slowBefore: 0 }
    await start(slowHost)
    await start(slowHost)
    await start(slowHost)
    await clock.advance(1000)
    expect((await failure(pool.run(slowHost, new AbortController().signal, async () => {}))).message).toBe(
      'The fetch waits for a free connection: 3 fetches from slow.example are running.',
    )
    await start({ host: 'other.example', slowBefore: 0 })
    expect(pool.mayHedge).toBe(true)
  })

  it('ask no further gateway once all connections are in use', async () => {
    const { pool, start } = setUp({ connections: 2 })
    const { transfer } = await start()
    const end = transfer.connect()
    transfer.connect()
    expect(pool.mayHedge).toBe(false)
    end()
    expect(pool.mayHedge).toBe(true)
  })
})

describe('the byte limit', () => {
  it('pauses all but the largest fetch and small ones, and a pause does not count as slowness', async () => {
    const MB = 1_000_000
    const { clock, start } = setUp({ bytes: 10 * MB })
    const large = await start()
    const other = await start()
    const small = await start()
    await large.transfer.arrived(7 * MB)
    let resumed = false
    const paused = (async () => {
      await other.transfer.arrived(4 * MB)
      resumed = true
    })()
    await small.transfer.arrived(MB)
    await large.transfer.arrived(MB)
    await clock.advance(7_000)
    expect(resumed).toBe(false)
    large.end()
    await paused
    await clock.advance(7_000)
    expect(other.transfer.signal.aborted).toBe(false)
  })

  it('ends a paused fetch when its caller gives up', async () => {
    const pool = new FetchPool({ connections: 8, bytes: 1, clock: new ManualClock() })
    const caller = new AbortController()
    const hold = pool.run(IPFS, new AbortController().signal, async ({ arrived }) => {
      await arrived(9_000_000)
      await new Promise(() => {})
    })
    hold.catch(() => {})
    const paused = pool.run(IPFS, caller.signal, ({ arrived }) => arrived(2_000_000))
    caller.abort(new Error('given up'))
    await expect(paused).rejects.toThrow('given up')
  })
})
