import { expect, it } from 'vitest'
import type { DaemonCard } from '../../../src/app/fleet/daemon-card.js'
import { knownDaemons } from '../../../src/app/fleet/known-daemons.js'
import { workersCheck } from '../../../src/app/fleet/workers-check.js'
import { AttestdError } from '../../../src/core/errors.js'
import type { QueueName } from '../../../src/queue/queues.js'

const nothing = { analyze: null, submit: null }
const card: DaemonCard = {
  name: 'me:1',
  machine: 'me',
  pid: 1,
  version: '0.1.0',
  roles: ['intake', 'submit'],
  stopping: false,
  detectors: [],
  jobsPerSecond: nothing,
  capacity: nothing,
  reasons: [],
}
const worker = { ...card, name: 'w:1', roles: ['analyze'] }

/** Looks from a daemon that submits. @param agoMs when the worker was last heard of */
function look(waiting: Readonly<Record<QueueName, number>>, other: DaemonCard | null, agoMs = 100) {
  const counts = async (name: QueueName) => ({ waiting: waiting[name], active: 0, delayed: 0, failed: 0, completed: 0 })
  const announced = other ? [{ id: 'w', text: JSON.stringify(other), agoMs }] : []
  const daemons = async () => knownDaemons(announced, { id: 'me', card })
  return workersCheck({ counts, ping: async () => {} }, { daemons }, card.roles)
}

it('jobs that wait for a role that nobody holds are told by how many and which', async () => {
  expect(await look({ analyze: 30, submit: 0 }, null)).toMatchObject({
    ok: false,
    reason: 'workers-missing',
    detail: { queue: 'analyze', waiting: 30 },
  })
})

it.each([
  ['lost', worker, 10_000],
  ['stopping', { ...worker, stopping: true }, 100],
] as const)('a worker that is %s does not count', async (_state, other, agoMs) => {
  expect(await look({ analyze: 1, submit: 0 }, other, agoMs)).toMatchObject({ ok: false, reason: 'workers-missing' })
})

it.each([
  ['a worker is alive', { analyze: 30, submit: 30 }, worker],
  ['nothing waits', { analyze: 0, submit: 0 }, null],
  ['what waits is work of this daemon', { analyze: 0, submit: 30 }, null],
] as const)('it is fine where %s', async (_name, waiting, other) => {
  expect(await look(waiting, other)).toMatchObject({ ok: true })
})

it('an engine that is away is told as that', async () => {
  const away = {
    ping: async () => Promise.reject(new AttestdError('queue-unreachable')),
    counts: () => new Promise<never>(() => {}),
  }
  await expect(workersCheck(away, { daemons: async () => [] }, [])).rejects.toMatchObject({
    reason: 'queue-unreachable',
  })
})
