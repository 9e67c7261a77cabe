import { describe, expect, it, type TestContext } from 'vitest'
import { DaemonBench } from '../support/daemon-bench.js'

/** Disposed with the test of this context: beside others, the global hook would take any test for its own. */
async function newBench({ onTestFinished }: Pick<TestContext, 'onTestFinished'>): Promise<DaemonBench> {
  const bench = await DaemonBench.create()
  onTestFinished(() => bench.dispose())
  await bench.prepare()
  return bench
}

describe.concurrent('gates that hold submission', () => {
  it('a stake below the minimum pauses it, and a top-up resumes it without a restart', async (context) => {
    const bench = await newBench(context)
    await bench.registerMany(2, 'stake')
    const daemon = await bench.startHere().ready()
    await bench.expectExactlyOneEach()

    // The stream tells of the stake, then ends; the answer to the next question is 403.
    const held = () => daemon.metric('attestd_holds_total', 'reason="stake-low"')
    bench.sandbox.control.setFaults({ rules: [{ route: 'one', fault: 'slow', ms: 600 }] })
    await bench.registerMany(3, 'stake')
    await bench.until('questions under way', () => bench.requests('one') >= 3)
    bench.sandbox.control.setStake({ stakedWei: 1n })
    await bench.until('held submissions', async () => (await held()) > 0)
    await bench.until('not ready', async () => (await daemon.get('/readyz')).status === 503)
    const sent = bench.sandbox.control.scoreAttempts().length

    bench.sandbox.control.setFaults({})
    bench.sandbox.control.setStake({ stakedWei: 10n ** 19n })
    await bench.expectExactlyOneEach()
    expect(sent).toBeLessThan(5)
    expect(bench.daemons).toHaveLength(1)
    expect(daemon.running).toBe(true)
  })

  it('Redis that is not there at the start ends the process with 75', async (context) => {
    const bench = await newBench(context)
    // Port 1 is never a Redis.
    const daemon = bench.startHere({ ATTESTD_QUEUE_URL: 'redis://user:top-secret-word@127.0.0.1:1' })
    expect(await daemon.exited).toBe(75)
    expect(daemon.output).toContain('queue-unreachable')
    expect(daemon.output).not.toContain('top-secret-word')
  })
})
