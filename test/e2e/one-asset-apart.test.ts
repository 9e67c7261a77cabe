import { describe, expect, it } from 'vitest'
import { benchOfTest } from '../support/bench-of-test.js'

describe.concurrent('the state of one asset at the service', () => {
  it('a stray 404 delays its score, and does not lose it', async (context) => {
    const bench = await benchOfTest({}, context)
    const [strange] = await bench.registerMany(3, 'stray')
    bench.sandbox.world.faults.setPlan({
      rules: [{ route: 'one', key: strange!.id, fault: 'status-404', untilAttempt: 1 }],
    })
    const daemon = await bench.startHere().ready()
    await bench.expectExactlyOneEach()
    expect(await daemon.metric('attestd_missed_total', 'reason="asset-closed"')).toBe(1)
  })

  it('an asset that closed while its submission waited is scored when it opens again', async (context) => {
    const bench = await benchOfTest({}, context)
    const asset = await bench.register('reopened')
    bench.sandbox.world.faults.setPlan({ rules: [{ route: 'one', fault: 'slow', ms: 500 }] })
    const daemon = await bench.startHere().ready()
    await bench.until('a question under way', () => bench.requests('one') > 0)
    bench.sandbox.world.assets.switch(asset.id, 'closed')
    bench.sandbox.world.faults.setPlan({ rules: [{ route: 'one', fault: 'status-404', attempts: [2] }] })
    await bench.until('closed', async () => (await daemon.metric('attestd_jobs_total', 'queue="submit"')) > 0)
    bench.sandbox.world.faults.setPlan({})
    const scoredMeanwhile = bench.sandbox.scores().length
    bench.sandbox.world.assets.switch(asset.id, 'open')
    await bench.expectExactlyOneEach()
    expect(scoredMeanwhile).toBeLessThanOrEqual(1)
  })

  it('a 403 for one asset delays no other', async (context) => {
    const bench = await benchOfTest({}, context)
    const [poison] = await bench.registerMany(1, 'poison')
    bench.sandbox.world.faults.setPlan({ rules: [{ route: 'score', key: poison!.id, fault: 'status-403' }] })
    const daemon = await bench.startHere({ ATTESTD_RETRY_MAX_MS: '200' }).ready()
    const refusals = () => daemon.metric('attestd_retries_total', 'reason="score-forbidden"')
    await bench.until('refusals', async () => (await refusals()) > 2)
    const others = await bench.registerMany(4, 'others')
    const scored = () => others.every(({ id }) => bench.scoreCounts()[id] === 1)
    await bench.until('the others', scored)
    // A wallet may be linked while the asset is open.
    bench.sandbox.world.faults.setPlan({})
    await bench.expectExactlyOneEach()
  })
})
