import { expect, it } from 'vitest'
import { removeOldQueue, strandedCheck } from '../../../src/app/fleet/old-queue.js'
import { silentLog } from '../../../src/core/log.js'
import type { FleetDaemon } from '../../../src/fleet/fleet-state.js'

it.each<[string, Partial<FleetDaemon>, boolean]>([
  ['an earlier release analyzes', {}, false],
  ['one of it stops', { state: 'stopping' }, false],
  ['one of it was lost', { state: 'lost' }, true],
  ['it submits only', { roles: ['submit'] }, true],
  ['it queues there', { roles: ['intake', 'submit'] }, false],
  ['all have queues by kind', { kinds: {} }, true],
])('the queue of earlier releases goes or stays where %s', async (_what, change, goes) => {
  let removed = 0
  const daemon = { roles: ['analyze'], state: 'alive', ...change } as FleetDaemon
  const queue = { removeOldQueue: async () => ++removed }
  await removeOldQueue(queue, { daemons: async () => [daemon] }, silentLog)
  expect(removed).toBe(goes ? 1 : 0)
})

it.each<[string, readonly Partial<FleetDaemon>[], boolean]>([
  ['an earlier release queues for one that is gone', [{ roles: ['intake'] }, { kinds: {} }], true],
  ['an earlier release queues for one that was lost', [{ roles: ['intake'] }, { state: 'lost' }], true],
  ['an earlier release queues for one of its own', [{ roles: ['intake'] }, {}], false],
  ['an earlier release does it all', [{ roles: ['intake', 'analyze'] }], false],
  ['this release queues', [{ roles: ['intake'], kinds: {} }], false],
])('%s: whether its assets are named as stranded', (_what, changes, isStranded) => {
  const daemons = changes.map(
    (change) => ({ name: 'old:1', roles: ['analyze'], state: 'alive', ...change }) as FleetDaemon,
  )
  const expected = { ok: false, reason: 'workers-missing', message: expect.stringMatching(/^old:1 .* replace it/) }
  expect(strandedCheck(daemons)).toEqual(isStranded ? expected : null)
})
