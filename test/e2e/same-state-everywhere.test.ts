import { describe, expect, it } from 'vitest'
import { benchOfTest } from '../support/bench-of-test.js'
import { tellsTheSame } from '../support/one-story.js'

describe('console, status, /readyz, metrics and log agree', () => {
  it('on a stake that falls, as the stream reported it', async () => {
    const bench = await benchOfTest()
    // No list comes by chance: the stream alone tells it.
    const daemon = await bench.startHere({ ATTESTD_LIST_EVERY_MS: '600000' }).ready()
    expect(await daemon.metric('attestd_stake_ether')).toBe(2)
    bench.sandbox.control.setStake({ stakedWei: 5n * 10n ** 17n })
    await bench.until('one story', () => tellsTheSame(daemon, 'stake', 'stake-low'))
    expect(await daemon.metric('attestd_stake_ether')).toBe(0.5)
    expect((await daemon.get('/')).text).toContain('0.5 ether</span> <code class="bad">stake-low</code>')
    await bench.until('the stream by the same reason', () => tellsTheSame(daemon, 'stream', 'stake-low'))
  })

  it('on a stake that was too low from the start, although no answer states it', async () => {
    const bench = await benchOfTest()
    bench.sandbox.control.setStake({ stakedWei: 1n })
    const daemon = bench.startHere()
    await daemon.serving()
    await bench.until('one story', () => tellsTheSame(daemon, 'stake', 'stake-low'))
  })

  it('on a local clock that is two hours off, while scores continue', async () => {
    const bench = await benchOfTest({ clockOffsetMs: -7_200_000 })
    const daemon = bench.startHere()
    await daemon.serving()
    await bench.until('one story', () => tellsTheSame(daemon, 'clock', 'clock-off'))
    const fleet = async () => JSON.parse((await daemon.get('/status')).text).fleet
    await bench.until('the fleet by the same reason', async () =>
      (await fleet()).daemons[0].reasons.includes('clock-off'),
    )
    expect((await daemon.get('/readyz')).text).toMatch(/the local clock is (2 h 0|1 h 59) min ahead of it/)
    await bench.registerMany(3, 'clock')
    await bench.expectExactlyOneEach()
    expect(await daemon.metric('attestd_service_requests_total', 'status="401"')).toBe(0)
    expect(bench.sandbox.world.scores.attempts().map(({ outcome }) => outcome)).toEqual(['stored', 'stored', 'stored'])
    expect(Math.round((await daemon.metric('attestd_clock_offset_seconds')) / 60)).toBe(-120)
  })
})
