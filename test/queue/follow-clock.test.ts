import { expect, it } from 'vitest'
import { silentLog } from '../../src/core/log.js'
import { followClock } from '../../src/queue/follow-clock.js'
import { ManualClock } from '../support/manual-clock.js'
import { deferred } from './queue-support.js'

it('one look at a time reads the delayed jobs, however long that takes', async () => {
  const clock = new ManualClock()
  const read = deferred()
  let reads = 0
  const end = followClock({ clock, log: silentLog }, async () => {
    reads++
    await read.promise
    return 0
  })
  await clock.advance(20_000)
  expect(reads).toBe(1)
  read.resolve()
  await clock.advance(20_000)
  expect(reads).toBe(1)
  end()
})
