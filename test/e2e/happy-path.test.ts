import { afterEach, expect, it, vi } from 'vitest'
import { DAEMON_TEST_MS, DaemonBench } from '../support/daemon-bench.js'

vi.setConfig({ testTimeout: DAEMON_TEST_MS })

let bench: DaemonBench

afterEach(() => bench.dispose())

it('every open asset gets one signed score, and the daemon stops cleanly', async () => {
  bench = await DaemonBench.create()
  await bench.registerMany(6, 'happy')
  // No queue is prepared: this start makes its own, as a first start does.
  const daemon = await bench.start().ready()
  await bench.registerMany(6, 'happy')
  await bench.expectExactlyOneEach()
  expect(bench.sandbox.control.scoreAttempts().map(({ outcome }) => outcome)).toEqual(Array(12).fill('stored'))
  expect(await daemon.metric('attestd_scores_total', 'how="accepted"')).toBe(12)
  daemon.signal('SIGTERM')
  expect(await daemon.exited).toBe(0)
})
