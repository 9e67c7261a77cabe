import { EventEmitter } from 'node:events'
import { expect, it } from 'vitest'
import { lonePrimaryDoubt } from '../../../src/queue/redis/lone-primary.js'
import { ManualClock } from '../../support/manual-clock.js'

function doubtOf(shape: 'single' | 'sentinel' | 'cluster') {
  const clock = new ManualClock()
  const connection = new EventEmitter()
  const isDoubted = lonePrimaryDoubt(connection as never, { shape }, clock)
  return { clock, connection, isDoubted }
}

it('a primary named by Sentinels is on probation for 15 s after each connection, half a second at a time', async () => {
  const { clock, connection, isDoubted } = doubtOf('sentinel')
  for (const _ of [1, 2]) {
    const doubted = isDoubted()
    await clock.advance(500)
    expect(await doubted).toBe(true)
    await clock.advance(14_500)
    expect(await isDoubted()).toBe(false)
    connection.emit('ready')
  }
})

it.each(['single', 'cluster'] as const)('a primary of the shape %s is not on probation', async (shape) => {
  expect(await doubtOf(shape).isDoubted()).toBe(false)
})
