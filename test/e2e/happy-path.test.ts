import { expect, it, onTestFinished } from 'vitest'
import { DaemonBench, PATIENT } from '../support/daemon-bench.js'

it('every open asset gets one signed score, and the daemon stops cleanly', async () => {
  const bench = await DaemonBench.create()
  onTestFinished(() => bench.dispose())
  await bench.registerMany(6, 'happy')
  // No queue is prepared: this start makes its own, as a first start does.
  const daemon = await bench.start(PATIENT).ready()
  await bench.registerMany(6, 'happy')
  await bench.expectExactlyOneEach()
  expect(bench.sandbox.world.scores.attempts().map(({ outcome }) => outcome)).toEqual(Array(12).fill('stored'))
  expect(await daemon.metric('attestd_scores_total', 'how="accepted"')).toBe(12)
  expect(await daemon.drain()).toBe(0)
})
