import { expect, it } from 'vitest'
import { seldomCheck, workersCheck } from '../../../src/app/fleet/workers-check.js'
import { AttestdError } from '../../../src/core/errors.js'
import type { DaemonCard } from '../../../src/fleet/daemon-card.js'
import { knownDaemons } from '../../../src/fleet/known-daemons.js'
import type { QueueName } from '../../../src/queue/queues.js'
import { cardOf } from '../../support/fleet-cards.js'
import { ManualClock } from '../../support/manual-clock.js'

const card = cardOf({ name: 'me:1', roles: ['intake', 'submit'] })
const worker = { ...card, name: 'w:1', roles: ['analyze'], kinds: { 'analyze-image': null, 'analyze-unknown': 2 } }

/** Looks from a daemon that submits. @param agoMs when the worker was last heard of */
function look(waiting: Partial<Record<QueueName, number>>, other: DaemonCard | null, agoMs = 100) {
  const counts = async (name: QueueName) => ({
    waiting: waiting[name] ?? 0,
    active: 0,
    delayed: 0,
    failed: 0,
    completed: 0,
  })
  const announced = other ? [{ id: 'w', text: JSON.stringify(other), agoMs }] : []
  const daemons = async () => knownDaemons(announced, { id: 'me', card })
  return workersCheck({ counts, ping: async () => {} }, { daemons }, ['submit'])
}

it('jobs that wait for a missing detector are reported with their number and the detector', async () => {
  expect(await look({ 'analyze-image': 3, 'analyze-text': 2, 'analyze-audio': 1 }, worker)).toEqual({
    ok: false,
    reason: 'workers-missing',
    message:
      '1 asset of kind audio waits, and no daemon on this queue has a detector for audio and a disk that accepts writes. 2 assets of kind text wait, and no daemon on this queue has a detector for text and a disk that accepts writes.',
    detail: { 'analyze-audio': 1, 'analyze-text': 2 },
  })
})

it('jobs that wait for a missing role are reported too, including those that wait for a retry', async () => {
  const daemons = async () => []
  const counts = async (name: QueueName) => ({
    waiting: 0,
    active: 0,
    delayed: name === 'submit' ? 4 : 0,
    failed: 0,
    completed: 0,
  })
  expect(await workersCheck({ counts, ping: async () => {} }, { daemons }, [])).toMatchObject({
    message: 'Jobs waiting in the queue submit: 4; no daemon on this queue has the role submit.',
  })
})

it.each([
  ['lost', worker, 10_000],
  ['stopping', { ...worker, stopping: true }, 100],
] as const)('a worker that is %s does not count', async (_state, other, agoMs) => {
  expect(await look({ 'analyze-image': 1 }, other, agoMs)).toMatchObject({ ok: false, reason: 'workers-missing' })
})

it.each([
  ['a worker is alive', { 'analyze-image': 30, 'analyze-unknown': 1, submit: 30 }, worker],
  ['nothing waits', {}, null],
  ['what waits is work of this daemon', { submit: 30 }, null],
] as const)('the check passes where %s', async (_name, waiting, other) => {
  expect(await look(waiting, other)).toMatchObject({ ok: true })
})

it('an unreachable queue is reported as such', async () => {
  const away = {
    ping: async () => Promise.reject(new AttestdError('queue-unreachable')),
    counts: () => new Promise<never>(() => {}),
  }
  await expect(workersCheck(away, { daemons: async () => [] }, [])).rejects.toMatchObject({
    reason: 'queue-unreachable',
  })
})

it('a passed check is kept for three seconds, a failed one is repeated at once', async () => {
  const clock = new ManualClock()
  const answers = [false, true, false].map((ok) => ({ ok, message: '' }))
  let looks = 0
  const check = seldomCheck(clock, async () => answers[looks++]!)
  const isFine = async () => (await check()).ok
  expect([await isFine(), await isFine(), await isFine(), looks]).toEqual([false, true, true, 2])
  clock.tick(2999)
  expect([await isFine(), looks]).toEqual([true, 2])
  clock.tick(1)
  expect([await isFine(), looks]).toEqual([false, 3])
})
