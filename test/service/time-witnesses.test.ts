import { describe, expect, it } from 'vitest'
import { AGREE_MS, TimeWitnesses } from '../../src/service/time-witnesses.js'
import { ManualClock } from '../support/manual-clock.js'
import { KeptLog } from './wallet-session/local-wallet-service.js'

const HOUR = 3_600_000

/** Witnesses beside a local clock that is an hour ahead of what `truth` says. */
function bench() {
  const clock = new ManualClock()
  const log = new KeptLog()
  const witnesses = new TimeWitnesses({ clock, log })
  const truth = () => clock.now() - HOUR
  return { clock, log, witnesses, truth }
}

describe('time is judged by', () => {
  it('the local clock where nobody else said one', () => {
    const { clock, witnesses } = bench()
    expect(witnesses.now()).toEqual({ ms: clock.now(), by: 'the local clock' })
    expect(witnesses.forBlocks()).toEqual({ ms: clock.now(), by: 'the local clock' })
  })

  it('the Date of the service, before its blocks, before RPC endpoints', () => {
    const { clock, witnesses, truth } = bench()
    witnesses.sawBlock('rpc-1', truth() - 3_000)
    expect(witnesses.now()).toEqual({ ms: truth() - 3_000, by: 'the latest block of rpc-1' })
    witnesses.sawChainTime(truth() - 2_000)
    expect(witnesses.now()).toEqual({ ms: truth() - 2_000, by: 'the latest block of the service' })
    witnesses.sawDate(truth())
    clock.tick(10_000)
    expect(witnesses.now()).toEqual({ ms: truth(), by: 'the Date header of the service' })
    expect(witnesses.forBlocks()).toEqual(witnesses.now())
  })

  it('no block of an RPC endpoint for another one, nor for itself', () => {
    const { clock, witnesses, truth } = bench()
    witnesses.sawBlock('rpc-1', truth())
    expect(witnesses.forBlocks()).toEqual({ ms: clock.now(), by: 'the local clock' })
  })

  it('the local clock where one of the RPC endpoints agrees with it', () => {
    const { clock, witnesses, truth } = bench()
    witnesses.sawBlock('stale', truth())
    witnesses.sawBlock('fresh', clock.now() - AGREE_MS)
    expect(witnesses.now().by).toBe('the local clock')
  })

  it('nothing that was said before a step of the local clock or a suspend', () => {
    const { clock, witnesses, truth } = bench()
    witnesses.sawDate(truth())
    clock.stepWall(1_000)
    expect(witnesses.now().by).toBe('the local clock')
  })
})

describe('a disagreement', () => {
  it('of the local clock alone is none', () => {
    const { log, witnesses, truth } = bench()
    witnesses.sawDate(truth())
    witnesses.sawChainTime(truth() - AGREE_MS)
    witnesses.sawBlock('fresh', truth())
    witnesses.sawBlock('stale', truth() - HOUR)
    expect(witnesses.disagreement()).toBeNull()
    expect(log.lines).toEqual([])
  })

  it('of the service with its own Date is told, once when it begins and once when it ends', () => {
    const { log, witnesses, truth } = bench()
    witnesses.sawDate(truth())
    witnesses.sawChainTime(truth() - HOUR)
    witnesses.sawChainTime(truth() - HOUR)
    expect(witnesses.disagreement()).toBe(
      'the latest block of the service is 3600 s behind the Date header of the service',
    )
    witnesses.sawChainTime(truth())
    expect(witnesses.disagreement()).toBeNull()
    expect(log.lines.map((line) => line.split(' {')[0])).toEqual([
      'sources of the time disagreed; submission was paused',
      'sources of the time agreed again',
    ])
  })

  it('of every RPC endpoint with the service is one, unless the local clock sides with the service', () => {
    const { clock, witnesses, truth } = bench()
    witnesses.sawChainTime(truth())
    witnesses.sawBlock('rpc-1', truth() + 2 * HOUR)
    expect(witnesses.disagreement()).toBe(
      'the latest block of rpc-1 is 7200 s ahead of the latest block of the service',
    )
    witnesses.sawChainTime(clock.now())
    expect(witnesses.disagreement()).toBeNull()
  })
})
