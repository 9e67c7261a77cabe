import { describe, expect, it } from 'vitest'
import { AttestdError } from '../../src/core/errors.js'
import { type Claims, claimedWork, MemoryClaims } from '../../src/queue/claims.js'
import { ManualClock } from '../support/manual-clock.js'
import { deferred } from './queue-support.js'

describe('claimedWork', () => {
  const clock = new ManualClock()
  const failures: unknown[] = []
  const options = (owner: string, claims: Claims) => ({
    claims,
    clock,
    owner,
    onFailure: (error: unknown) => failures.push(error),
  })

  it('excludes others while the work runs, and no longer', async () => {
    const claims = new MemoryClaims(clock)
    const { promise, resolve } = deferred()
    const first = claimedWork('key', options('a', claims), () => promise.then(() => 'a was here'))
    for (let seconds = 0; seconds < 120; seconds += 5) {
      await clock.advance(5000)
      expect(await claimedWork('key', options('b', claims), async () => 'b was here')).toBeNull()
    }
    resolve()
    expect(await first).toBe('a was here')
    expect(await claimedWork('key', options('b', claims), async () => 'b was here')).toBe('b was here')
  })

  it('a claim of a dead process expires', async () => {
    const claims = new MemoryClaims(clock)
    await claims.take('key', 'dead', 15_000)
    await clock.advance(14_999)
    expect(await claimedWork('key', options('b', claims), async () => 1)).toBeNull()
    await clock.advance(1)
    expect(await claimedWork('key', options('b', claims), async () => 1)).toBe(1)
  })

  it('failed work releases the claim', async () => {
    const claims = new MemoryClaims(clock)
    const failing = async () => {
      throw new AttestdError('detector-timeout')
    }
    await expect(claimedWork('key', options('a', claims), failing)).rejects.toThrow(AttestdError)
    expect(await claims.take('key', 'b', 1000)).toBe(true)
  })

  it('without an answer of the queue engine, the work is done all the same', async () => {
    const away = async () => {
      throw new AttestdError('queue-unreachable')
    }
    expect(await claimedWork('key', options('a', { take: away, release: away }), async () => 1)).toBe(1)
    expect(failures.map((error) => (error as AttestdError).reason)).toEqual(['queue-unreachable', 'queue-unreachable'])
  })
})
