import { expect, it } from 'vitest'
import { removeOldQueue } from '../../../src/app/fleet/old-queue.js'
import { silentLog } from '../../../src/core/log.js'
import type { FleetDaemon } from '../../../src/fleet/fleet-state.js'

it.each<[string, Partial<FleetDaemon>, boolean]>([
  ['an earlier release analyzes', {}, false],
  ['one of it stops', { state: 'stopping' }, false],
  ['one of it was lost', { state: 'lost' }, true],
  ['it submits only', { roles: ['submit'] }, true],
  ['all have queues by kind', { kinds: {} }, true],
])('the queue of earlier releases goes or stays where %s', async (_what, change, goes) => {
  let removed = 0
  const daemon = { roles: ['analyze'], state: 'alive', ...change } as FleetDaemon
  const queue = { removeOldQueue: async () => ++removed }
  await removeOldQueue(queue, { daemons: async () => [daemon] }, silentLog)
  expect(removed).toBe(goes ? 1 : 0)
})
