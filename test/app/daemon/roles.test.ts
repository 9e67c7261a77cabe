import { expect, it } from 'vitest'
import { untilSubmitted } from '../../../src/app/daemon/roles.js'
import type { QueueCounts } from '../../../src/queue/queues.js'
import { ManualClock, settle } from '../../support/manual-clock.js'

it('a stop waits for the last submissions no longer than it may, also where the queue does not answer', async () => {
  const clock = new ManualClock()
  const queue = { counts: () => new Promise<QueueCounts>(() => {}) }
  const ended: string[] = []
  const stop = async () => {
    await untilSubmitted({ clock, queue }, { check: () => ({ open: true }) as never }, 3000)
    ended.push('stop')
  }
  void stop()
  await clock.advance(3000)
  await settle()
  expect(ended).toEqual(['stop'])
})
