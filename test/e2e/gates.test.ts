import { expect, it } from 'vitest'
import { benchOfTest } from '../support/bench-of-test.js'

it('a stake below the minimum pauses submission, and a top-up resumes it without a restart', async () => {
  const bench = await benchOfTest()
  await bench.registerMany(2, 'stake')
  const daemon = await bench.startHere().ready()
  await bench.expectExactlyOneEach()

  // The stream tells of the stake, then ends; the answer to the next question is 403.
  const held = () => daemon.metric('attestd_holds_total', 'reason="stake-low"')
  bench.sandbox.world.faults.setPlan({ rules: [{ route: 'one', fault: 'slow', ms: 600 }] })
  await bench.registerMany(3, 'stake')
  await bench.until('questions under way', () => bench.requests('one') >= 3)
  bench.sandbox.control.setStake({ stakedWei: 1n })
  await bench.until('held submissions', async () => (await held()) > 0)
  await bench.until('not ready', async () => (await daemon.get('/readyz')).status === 503)
  const sent = bench.sandbox.world.scores.attempts().length

  bench.sandbox.world.faults.setPlan({})
  bench.sandbox.control.setStake({ stakedWei: 10n ** 19n })
  await bench.expectExactlyOneEach()
  expect(sent).toBeLessThan(5)
  expect(bench.daemons).toHaveLength(1)
  expect(daemon.running).toBe(true)
})
