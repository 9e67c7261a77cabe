import { describe, expect, it } from 'vitest'
import { Gate } from '../../src/pipeline/gate.js'
import { ManualClock } from '../support/manual-clock.js'

const gateBy = (clock = new ManualClock(), trusted = true) =>
  new Gate({ clock, random: () => 1, serviceClock: { state: () => ({ offsetMs: 0, errorBoundMs: 5, trusted }) } })

describe('the gate', () => {
  const rows: [string, { stake?: [bigint, bigint]; clock?: boolean; pauseMs?: number }, string | null][] = [
    ['is open with enough stake and a trusted clock', { stake: [10n, 10n] }, null],
    ['holds before the stake is known', {}, 'stake-unknown'],
    ['holds when the stake is one wei short', { stake: [2n ** 80n - 1n, 2n ** 80n] }, 'stake-low'],
    ['holds while the clock is not trusted', { stake: [1n, 1n], clock: false }, 'clock-untrusted'],
    ['holds during a pause whatever else', { stake: [1n, 1n], pauseMs: 1 }, 'service-rate-limited'],
  ]
  it.each(rows)('%s', (_name, { stake, clock = true, pauseMs }, reason) => {
    const gate = gateBy(new ManualClock(), clock)
    if (stake) gate.updateStake({ stakedWei: stake[0], minStakeWei: stake[1] })
    if (pauseMs) gate.pause('service-rate-limited', pauseMs)
    const answer = gate.check()
    expect(answer.open ? null : answer.reason).toBe(reason)
  })

  it('reports when the stake crosses the minimum, both ways', () => {
    const gate = gateBy()
    expect(gate.updateStake({ stakedWei: 5n, minStakeWei: 5n })).toBe(true)
    expect(gate.updateStake({ stakedWei: 6n, minStakeWei: 5n })).toBe(false)
    expect(gate.updateStake({ stakedWei: 4n, minStakeWei: 5n })).toBe(true)
    expect(gate.updateStake({ stakedWei: 5n, minStakeWei: 5n })).toBe(true)
  })

  it('names a stake that is low from the start, also where the service rejects the key for it', () => {
    const gate = gateBy()
    gate.refuse()
    expect(gate.updateStake({ stakedWei: 4n, minStakeWei: 5n }, 'contract')).toBe(true)
    expect(gate.updateStake({ stakedWei: 3n, minStakeWei: 5n }, 'contract')).toBe(false)
    expect(gate.check()).toMatchObject({ open: false, reason: 'stake-low' })
    gate.updateStake({ stakedWei: 5n, minStakeWei: 5n }, 'contract')
    expect(gate.check()).toMatchObject({ open: false, reason: 'service-forbidden' })
  })

  it('closes after a rejection until a stake can be read again', () => {
    const gate = gateBy()
    gate.updateStake({ stakedWei: 1n, minStakeWei: 1n })
    expect(gate.refuse()).toBe(true)
    expect(gate.refuse()).toBe(false)
    expect(gate.stakeOk).toBe(false)
    expect(gate.check()).toMatchObject({ open: false, reason: 'service-forbidden' })
    expect(gate.updateStake({ stakedWei: 1n, minStakeWei: 1n })).toBe(true)
    expect(gate.check()).toEqual({ open: true })
  })

  it('reports a stake known to be too low rather than the rejection that follows it', () => {
    const gate = gateBy()
    gate.updateStake({ stakedWei: 1n, minStakeWei: 2n })
    expect(gate.refuse()).toBe(false)
    expect(gate.check()).toMatchObject({ open: false, reason: 'stake-low' })
    expect(gate.updateStake({ stakedWei: 2n, minStakeWei: 2n })).toBe(true)
    expect(gate.check()).toEqual({ open: true })
  })

  it('closes with the reason of a rejection over the stake, whatever was read before', () => {
    const gate = gateBy()
    gate.updateStake({ stakedWei: 2n, minStakeWei: 2n })
    expect(gate.refuse('stake-low')).toBe(true)
    expect([gate.check(), gate.stakeTrouble]).toMatchObject([{ open: false, reason: 'stake-low' }, 'stake-low'])
  })

  it('stays closed after a rejection, even if the contract shows a stake', () => {
    const gate = gateBy()
    gate.refuse()
    gate.updateStake({ stakedWei: 1n, minStakeWei: 1n }, 'contract')
    expect(gate.check()).toMatchObject({ open: false, reason: 'service-forbidden' })
    gate.letIn()
    expect(gate.check()).toEqual({ open: true })
  })

  it('closes over an unsure stake until it is read again', () => {
    const gate = gateBy()
    gate.updateStake({ stakedWei: 1n, minStakeWei: 1n }, 'contract')
    expect([gate.doubtStake(), gate.doubtStake()]).toEqual([true, false])
    expect(gate.stakeOk).toBe(false)
    gate.letIn()
    expect(gate.check()).toMatchObject({ open: false, reason: 'stake-unknown' })
    expect(gate.updateStake({ stakedWei: 1n, minStakeWei: 1n }, 'contract')).toBe(true)
    expect(gate.check()).toEqual({ open: true })
  })

  it('closes while the contract does not list the wallet as an attester, and opens again by itself', () => {
    const gate = gateBy()
    gate.updateStake({ stakedWei: 1n, minStakeWei: 1n }, 'contract')
    expect([gate.updateRole(true), gate.updateRole(false), gate.updateRole(false)]).toEqual([false, true, false])
    expect(gate.check()).toMatchObject({ open: false, reason: 'role-missing' })
    gate.updateRole(true)
    expect(gate.check()).toEqual({ open: true })
  })

  it('lengthens the pause after repeated rate limits, even with Retry-After: 0, until a request succeeds', () => {
    const gate = gateBy()
    expect([gate.slowDown(undefined), gate.slowDown(0), gate.slowDown(9000)]).toEqual([2000, 4000, 9000])
    gate.wentThrough()
    expect(gate.slowDown(0)).toBe(2000)
    expect(gate.slowDown(24 * 3_600_000)).toBe(10 * 60_000)
  })

  it('does not shorten a pause by a later shorter one', async () => {
    const clock = new ManualClock()
    const gate = gateBy(clock)
    gate.updateStake({ stakedWei: 1n, minStakeWei: 1n })
    gate.pause('service-forbidden', 10_000)
    gate.pause('service-rate-limited', 1_000)
    await clock.advance(9_999)
    expect(gate.check()).toMatchObject({ open: false, reason: 'service-forbidden' })
    await clock.advance(1)
    expect(gate.check()).toEqual({ open: true })
  })
})
