import { describe, expect, it } from 'vitest'
import { benchOfTest } from '../support/bench-of-test.js'
import type { DaemonBench } from '../support/daemon-bench.js'
import { breaking, WireRecorder } from '../support/wire-recorder.js'

const HOUR_MS = 3_600_000
const ASSETS = 2

/** A wallet-session service and its chain, both that far ahead of the daemon's clock. */
async function apart(clockOffsetMs: number, dateOffsetMs: number | null): Promise<DaemonBench> {
  const made = await benchOfTest({ api: 'wallet-session', clockOffsetMs, dateOffsetMs })
  await made.registerMany(ASSETS, `apart ${clockOffsetMs}`)
  return made
}

describe('a service whose time and chain are an hour from the local clock', () => {
  it.each([
    [HOUR_MS, 'with a Date', 0],
    [-HOUR_MS, 'without a Date', null],
  ])('%d ms, %s, accepts every score', async (offset, _, dateOffsetMs) => {
    const bench = await apart(offset, dateOffsetMs)
    const daemon = bench.startHere()
    await daemon.serving()
    await bench.expectExactlyOneEach()
    // Not ready, since every local time is wrong; yet nothing is held.
    expect((await daemon.get('/readyz')).text).toContain('clock-off')
    expect(bench.sandbox.world.scores.attempts().map(({ outcome }) => outcome)).toEqual(Array(ASSETS).fill('stored'))
    expect(Math.round((await daemon.metric('attestd_clock_offset_seconds')) / 60)).toBe(offset / 60_000)
  })
})

describe('nothing is submitted', () => {
  it('where the Date of the service differs from the time of its chain', async () => {
    const bench = await apart(0, -HOUR_MS)
    const daemon = bench.startHere()
    const words = /service time is 3\d{3} s ahead of the Date header of the service/
    await bench.until('its words', async () => words.test((await daemon.get('/readyz')).text))
    expect((await daemon.get('/readyz')).status).toBe(503)
    expect(daemon.log.find(({ msg }) => msg?.startsWith('service contradicted its own time'))).toMatchObject({
      reason: 'clock-untrusted',
    })
    expect(bench.sandbox.world.scores.attempts()).toEqual([])
  })

  it('where the only RPC endpoint has no block of the service time, whatever the local clock states', async () => {
    const bench = await apart(HOUR_MS, 0)
    const own = await benchOfTest({ api: 'wallet-session' })
    const rpc = await WireRecorder.forTest(own.sandbox.url)
    const url = bench.env().ATTESTD_RPC_URLS!.replace(bench.sandbox.url, rpc.url)
    // Until the service has stated its time, blocks are judged by the local clock.
    rpc.stand = breaking
    const daemon = bench.startHere({ ATTESTD_RPC_URLS: url })
    await bench.until('service time', async () => (await daemon.metric('attestd_clock_trusted')) === 1)
    rpc.stand = null
    const words = /has a latest block that is 3\d{3} s old by (service time|the Date header of the service)/
    await bench.until('its words', async () => words.test((await daemon.get('/readyz')).text))
    expect((await daemon.get('/readyz')).text).toContain('stake-unknown')
    expect(bench.sandbox.world.scores.attempts()).toEqual([])
  })
})
