import { expect, it } from 'vitest'
import { readBacklog } from '../../../src/app/fleet/backlog.js'
import type { FleetDaemon } from '../../../src/observe/console/fleet-state.js'
import { PRIORITY_MS } from '../../../src/pipeline/jobs.js'
import type { QueueName } from '../../../src/queue/queues.js'

const NOW = 1_000_000_000

/** Two a second, unless it says otherwise. */
function worker(change: Partial<FleetDaemon> = {}): FleetDaemon {
  const both = { analyze: 2, submit: 2 }
  const facts = { name: 'm:1', machine: 'm', pid: 1, version: '0.1.0', lastSeenMs: 0, detectors: [], reasons: [] }
  return { ...facts, roles: ['analyze', 'submit'], state: 'alive', jobsPerSecond: both, capacity: both, ...change }
}

/** Waiting jobs of the queue analyze, by how long they have waited (ms). */
function backlog(
  urgent: readonly number[],
  standard: readonly number[],
  daemons: readonly FleetDaemon[],
  isPaused = false,
) {
  const line = (priority: number, ages: readonly number[], limit: number) => ({
    priority,
    waiting: ages.length,
    addedAt: ages.slice(0, limit).map((age) => NOW - age),
  })
  const waiting = async (name: QueueName, [first, second]: readonly number[], limit: number) =>
    name === 'analyze'
      ? [line(first!, urgent, limit), line(second!, standard, limit)]
      : [line(first!, [], limit), line(second!, [], limit)]
  return readBacklog({ waiting, isPaused: async () => isPaused }, daemons, NOW)
}

const fresh = (count: number) => Array.from({ length: count }, () => 0)

it('states the oldest by turnaround and the time to drain', async () => {
  const { drainMs, missesAhead, rows } = await backlog([9000, 1000], fresh(18), [worker(), worker()])
  expect(rows.slice(0, 3)).toEqual([
    { queue: 'analyze', turnaround: 'priority_5min', waiting: 2, oldestMs: 9000 },
    { queue: 'analyze', turnaround: 'standard', waiting: 18, oldestMs: 0 },
    { queue: 'submit', turnaround: 'priority_5min', waiting: 0, oldestMs: null },
  ])
  expect(drainMs).toEqual({ analyze: 5000, submit: 0 })
  expect(missesAhead).toBe(0)
})

it('counts the urgent assets that will come too late at this rate', async () => {
  // Ten seconds are left for the first twenty, which are done after ten: the rest is late.
  const ages = Array.from({ length: 34 }, () => PRIORITY_MS - 10_000)
  expect((await backlog(ages, fresh(500), [worker()])).missesAhead).toBe(14)
})

it('judges those beyond the first 300 by the last of these', async () => {
  expect((await backlog(fresh(900), [], [worker()])).missesAhead).toBe(300)
})

it('does not know the time to drain before a job has ended, and counts only what is late already', async () => {
  const young = worker({ capacity: { analyze: null, submit: null } })
  expect(await backlog([PRIORITY_MS + 1, 0], [], [young])).toMatchObject({ drainMs: { analyze: null }, missesAhead: 1 })
})

it.each([
  ['none', []],
  ['a lost one', [worker({ state: 'lost' })]],
  ['one that stops', [worker({ state: 'stopping' })]],
  ['one with other roles', [worker({ roles: ['intake', 'submit'] })]],
] as const)('with %s, every urgent asset will come too late', async (_name, daemons) => {
  expect(await backlog([0, 0, 0], [], daemons)).toMatchObject({ drainMs: { analyze: null }, missesAhead: 3 })
})

it('knows no end of what waits in a queue that is paused', async () => {
  const { drainMs, missesAhead } = await backlog([0], [], [worker()], true)
  expect(drainMs).toEqual({ analyze: null, submit: 0 })
  expect(missesAhead).toBe(1)
})
