import { describe, expect, it } from 'vitest'
import { type KeptStake, StakeRegistry } from '../../../src/sandbox/books/stake-registry.js'
import { OTHER, UPPER, WALLET } from './book-parts.js'

const ATTESTER = { attester: true, submitter: false }
const NONE = { attester: false, submitter: false }

describe('the stake registry', () => {
  const newRegistry = (kept?: KeptStake) => {
    const seen = { changes: 0, stakes: [] as bigint[] }
    const roles = new Map([[WALLET, ATTESTER]])
    const stake = { stakedWei: 100n, minStakeWei: 100n }
    const changed = () => seen.changes++
    const registry = new StakeRegistry({ chainId: 7, now: () => 90_999, stake, roles, changed }, kept)
    const { signal } = new AbortController()
    registry.stakeChanged.listen(() => seen.stakes.push(registry.stakeOf(WALLET).stakedWei), signal)
    return { registry, seen }
  }

  it('gives every wallet the initial stake, and enough from the minimum on', () => {
    const { registry } = newRegistry()
    expect(registry.stakeOf(WALLET)).toEqual({ stakedWei: 100n, minStakeWei: 100n })
    registry.setStake(UPPER, 99n)
    expect([registry.isEnough(WALLET), registry.isEnough(OTHER)]).toEqual([false, true])
    registry.setMinimum(101n)
    registry.setStake(OTHER, 101n)
    expect([registry.isEnough(WALLET), registry.isEnough(OTHER)]).toEqual([false, true])
  })

  it('gives the initial roles, none to a stranger, and the assigned ones in any spelling', () => {
    const { registry } = newRegistry()
    expect([registry.rolesOf(UPPER), registry.rolesOf(OTHER)]).toEqual([ATTESTER, NONE])
    registry.setRoles(UPPER, NONE)
    expect(registry.rolesOf(WALLET)).toEqual(NONE)
  })

  it('reports each change of stake once, and nothing that changes nothing', () => {
    const { registry, seen } = newRegistry()
    registry.setStake(WALLET, 5n)
    registry.setStake(UPPER, 5n)
    registry.setMinimum(6n)
    registry.setMinimum(6n)
    registry.setRoles(WALLET, NONE)
    expect(seen).toEqual({ changes: 3, stakes: [5n, 5n] })
  })

  it('continues from the stored state, and returns to the initial one on reset', () => {
    const { registry } = newRegistry()
    registry.setStake(WALLET, 2n ** 70n)
    registry.setMinimum(4n)
    registry.setRoles(OTHER, ATTESTER)
    const { registry: later, seen } = newRegistry(registry.kept())
    expect(later.stakeOf(WALLET)).toEqual({ stakedWei: 2n ** 70n, minStakeWei: 4n })
    expect([later.rolesOf(OTHER), seen.changes]).toEqual([ATTESTER, 0])
    later.reset()
    expect(later.stakeOf(WALLET)).toEqual({ stakedWei: 100n, minStakeWei: 100n })
    expect([later.rolesOf(WALLET), later.rolesOf(OTHER), seen.stakes]).toEqual([ATTESTER, NONE, [100n]])
  })

  it('has one block per second of service time, and none while its chain is stopped', () => {
    const { registry } = newRegistry()
    expect(registry.head()).toEqual({ number: 90n, timestamp: 90 })
    registry.stop()
    expect(() => registry.head()).toThrow(expect.objectContaining({ code: 'chain-unavailable' }))
    registry.start()
    expect(registry.head().number).toBe(90n)
  })
})
