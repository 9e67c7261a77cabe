import { afterEach, describe, expect, it, vi } from 'vitest'
import { DAEMON_TEST_MS, DaemonBench } from '../support/daemon-bench.js'
import { WireRecorder } from '../support/wire-recorder.js'

const HOUR_MS = 3_600_000
const ASSETS = 2

vi.setConfig({ testTimeout: DAEMON_TEST_MS })

let bench: DaemonBench

afterEach(() => bench.dispose())

/** A wallet-session service and its chain, both that far ahead of the daemon's clock. */
async function apart(clockOffsetMs: number, dateOffsetMs: number | null): Promise<DaemonBench> {
  const made = await DaemonBench.create({ api: 'wallet-session', chain: 'memory', clockOffsetMs, dateOffsetMs })
  await made.prepare()
  await made.registerMany(ASSETS, `apart ${clockOffsetMs}`)
  return made
}

describe('a service whose time and chain are an hour from the local clock', () => {
  it.each([
    [HOUR_MS, 'with a Date', 0],
    [HOUR_MS, 'without a Date', null],
    [-HOUR_MS, 'without a Date', null],
  ])('%d ms, %s, accepts every score', async (offset, _, dateOffsetMs) => {
    bench = await apart(offset, dateOffsetMs)
    const daemon = bench.startHere()
    await daemon.serving()
    await bench.expectExactlyOneEach()
    // Not ready, since every local time is wrong; yet nothing is held.
    expect((await daemon.get('/readyz')).text).toContain('clock-off')
    expect(bench.sandbox.control.scoreAttempts().map(({ outcome }) => outcome)).toEqual(Array(ASSETS).fill('stored'))
    expect(Math.round((await daemon.metric('attestd_clock_offset_seconds')) / 60)).toBe(offset / 60_000)
  })
})

describe('submission is held, saying who contradicts whom', () => {
  it('where the Date of the service is not the time of its chain', async () => {
    bench = await apart(0, -HOUR_MS)
    const daemon = bench.startHere()
    await bench.until('its words', async () => (await daemon.get('/readyz')).text.includes('Sources of the time'))
    const { status, text } = await daemon.get('/readyz')
    expect(status).toBe(503)
    expect(text).toMatch(/the latest block of the service is 3\d{3} s ahead of the Date header of the service/)
    expect(daemon.log.find(({ msg }) => msg?.startsWith('sources of the time disagreed'))).toMatchObject({
      reason: 'clock-untrusted',
    })
    expect(bench.sandbox.control.scoreAttempts()).toEqual([])
  })

  it('where the only RPC endpoint and the local clock contradict the service', async () => {
    bench = await apart(HOUR_MS, 0)
    const own = await DaemonBench.create({ api: 'wallet-session', chain: 'memory' })
    const rpc = await WireRecorder.start(own.sandbox.url)
    try {
      const url = bench.env().ATTESTD_RPC_URLS!.replace(bench.sandbox.url, rpc.url)
      const daemon = bench.startHere({ ATTESTD_RPC_URLS: url })
      await bench.until('its words', async () => (await daemon.get('/readyz')).text.includes('Sources of the time'))
      expect((await daemon.get('/readyz')).text).toContain(`the latest block of ${rpc.url} is 3`)
      expect(bench.sandbox.control.scoreAttempts()).toEqual([])
    } finally {
      await rpc.close()
      await own.dispose()
    }
  })
})
