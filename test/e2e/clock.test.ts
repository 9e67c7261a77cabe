import { afterEach, expect, it } from 'vitest'
import { DaemonBench } from '../support/daemon-bench.js'

const HOUR_MS = 3_600_000

let bench: DaemonBench

afterEach(() => bench.dispose())

it.each([HOUR_MS, -HOUR_MS])(
  'a service whose time is %d ms from ours accepts every request from the first on',
  async (offset) => {
    bench = await DaemonBench.create({ clockOffsetMs: offset })
    await bench.prepare()
    await bench.registerMany(3, `clock ${offset}`)
    const daemon = bench.startHere()
    await daemon.serving()
    await bench.expectExactlyOneEach()
    expect(await daemon.metric('attestd_service_requests_total', 'status="401"')).toBe(0)
    expect(bench.sandbox.control.scoreAttempts().map(({ outcome }) => outcome)).toEqual(['stored', 'stored', 'stored'])
    expect(Math.round((await daemon.metric('attestd_clock_offset_seconds')) / 60)).toBe(offset / 60_000)
  },
)
