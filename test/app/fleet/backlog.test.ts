import { expect, it } from 'vitest'
import { readBacklog } from '../../../src/app/fleet/backlog.js'
import type { FleetDaemon } from '../../../src/fleet/fleet-state.js'
import { PRIORITY_MS } from '../../../src/pipeline/jobs.js'
import { QUEUE_NAMES, type QueueName, type RetryingJob } from '../../../src/queue/queues.js'
import type { WaitingLine } from '../../../src/queue/waiting-jobs.js'
import { daemonOf } from '../../support/fleet-cards.js'
import { openAsset } from '../../support/pipeline-parts.js'

const NOW = 1_000_000_000

/** Two a second, unless it says otherwise. */
function worker(change: Partial<FleetDaemon> = {}): FleetDaemon {
  const kinds = { 'analyze-image': 2, 'analyze-text': 10 }
  return daemonOf({ kinds, roles: ['analyze', 'submit'], capacity: { analyze: 2, submit: 2 }, ...change })
}

interface Change {
  readonly isPaused?: boolean
  readonly texts?: number
  readonly speech?: number
  /** Urgent pictures that failed once and wait in their turn, by their age. */
  readonly retried?: readonly number[]
  readonly delayed?: readonly RetryingJob[]
  /** Gets the queues whose jobs were read, and how many of each line at most. */
  readonly asked?: [QueueName, number[]][]
}

const NONE = Object.fromEntries(QUEUE_NAMES.map((name) => [name, 0])) as Record<QueueName, number>

/** Waiting jobs of the queue analyze-image, and of texts, by how long they have waited (ms). */
function backlog(
  urgent: readonly number[],
  standard: readonly number[],
  daemons: readonly FleetDaemon[],
  { isPaused = false, texts = 0, speech = 0, retried = [], delayed = [], asked = [] }: Change = {},
) {
  const line = (ages: readonly number[], limit: number) => ({
    waiting: ages.length,
    addedAt: ages.slice(0, limit).map((age) => NOW - age),
  })
  // The lines of jobs that failed once stand between and are empty, but for that of urgent pictures.
  const waiting = async (name: QueueName, lines: readonly WaitingLine[]) => {
    asked.push([name, lines.map(({ limit }) => limit)])
    const others = [[], [], fresh(name === 'analyze-text' ? texts : 0), []]
    const ages = name === 'analyze-image' ? [urgent, retried, standard, []] : others
    return lines.map(({ limit }, nth) => line(ages[nth]!, limit))
  }
  const retrying = async (name: QueueName, limit: number) => (name === 'analyze-image' ? delayed.slice(0, limit) : [])
  const images = urgent.length + retried.length + standard.length
  const counts = async (name: QueueName) => ({
    waiting: { ...NONE, 'analyze-image': images, 'analyze-text': texts, 'analyze-audio': speech }[name],
    active: 0,
    delayed: name === 'analyze-image' ? delayed.length : 0,
    failed: 0,
    completed: 0,
  })
  return readBacklog({ counts, waiting, retrying, isPaused: async () => isPaused }, daemons, NOW)
}

const fresh = (count: number) => Array.from({ length: count }, () => 0)

it('reports the oldest job by turnaround time, and the time to drain', async () => {
  const { drainMs, missesAhead, rows } = await backlog([9000, 1000], fresh(18), [worker(), worker()])
  expect(rows.slice(0, 3)).toEqual([
    { queue: 'analyze-image', turnaround: 'priority_5min', waiting: 2, oldestMs: 9000 },
    { queue: 'analyze-image', turnaround: 'standard', waiting: 18, oldestMs: 0 },
    { queue: 'analyze-audio', turnaround: 'priority_5min', waiting: 0, oldestMs: null },
  ])
  expect(drainMs).toMatchObject({ 'analyze-image': 5000, 'analyze-text': 0, submit: 0 })
  expect(missesAhead).toBe(0)
})

it('adds waiting jobs of other kinds for the same daemons, each at its own rate, and none of other daemons', async () => {
  const images = worker({ kinds: { 'analyze-image': 2 } })
  const texts = worker({ kinds: { 'analyze-text': 10 } })
  const drainOf = async (...daemons: FleetDaemon[]) => (await backlog([], fresh(20), daemons, { texts: 20 })).drainMs
  expect(await drainOf(worker())).toMatchObject({ 'analyze-image': 12_000, 'analyze-text': 12_000 })
  expect(await drainOf(images, texts)).toMatchObject({ 'analyze-image': 10_000, 'analyze-text': 2000 })
})

it('names the kinds that no daemon serves', async () => {
  const { unserved } = await backlog([], fresh(9), [worker()], { speech: 3 })
  expect(unserved).toEqual([{ queue: 'analyze-audio', waiting: 3 }])
})

it('counts the urgent assets that will miss their deadline at this rate', async () => {
  // Ten seconds are left for the first twenty, which are done after ten: the rest is late.
  const ages = Array.from({ length: 34 }, () => PRIORITY_MS - 10_000)
  expect((await backlog(ages, fresh(500), [worker()])).missesAhead).toBe(14)
})

it('estimates those beyond the first 300 by the last of these', async () => {
  expect((await backlog(fresh(900), [], [worker()])).missesAhead).toBe(300)
})

it('reads urgent jobs one by one, only the oldest of the others, and nothing from an empty queue', async () => {
  const asked: [QueueName, number[]][] = []
  await backlog(fresh(900), fresh(900), [worker()], { asked })
  expect(asked).toEqual([['analyze-image', [300, 300, 1, 1]]])
})

it('has no time to drain before a job has ended, and counts only what is already late', async () => {
  const young = worker({ kinds: { 'analyze-image': null } })
  expect(await backlog([PRIORITY_MS + 1, 0], [], [young])).toMatchObject({
    drainMs: { 'analyze-image': null },
    missesAhead: 1,
  })
})

it.each([
  ['none', []],
  ['a lost one', [worker({ state: 'lost' })]],
  ['one that stops', [worker({ state: 'stopping' })]],
  ['one with other kinds', [worker({ kinds: { 'analyze-text': 2 } })]],
  ['one with other roles', [worker({ roles: ['intake', 'submit'], kinds: {} })]],
] as const)('with %s, every urgent asset will be late', async (_name, daemons) => {
  expect(await backlog([0, 0, 0], [], daemons)).toMatchObject({ drainMs: { 'analyze-image': null }, missesAhead: 3 })
})

it('has no time to drain for a paused queue', async () => {
  const { drainMs, missesAhead } = await backlog([0], [], [worker()], { isPaused: true })
  expect(drainMs).toMatchObject({ 'analyze-image': null, submit: 0 })
  expect(missesAhead).toBe(1)
})

it('counts the urgent assets that wait for their turn after a failed attempt', async () => {
  const { missesAhead, rows } = await backlog([0], [], [worker()], { retried: [PRIORITY_MS] })
  expect(rows[0]).toMatchObject({ turnaround: 'priority_5min', waiting: 2 })
  expect(missesAhead).toBe(1)
})

const job = (id: string, change: Partial<RetryingJob>, turnaround: 'standard' | 'priority_5min'): RetryingJob => ({
  queue: 'analyze-image',
  id,
  failure: { reason: 'media-unreachable', message: 'no gateway has it' },
  attempts: 3,
  addedAt: NOW - PRIORITY_MS + 30_000,
  nextTryAt: NOW + 40_000,
  data: { asset: openAsset({ turnaround }), seenAt: NOW },
  ...change,
})

it('counts all jobs that wait for a retry, and reads the first twenty of them', async () => {
  const delayed = Array.from({ length: 200 }, (_, nth) =>
    job(`${nth}`, nth % 4 === 0 ? { failure: null } : {}, nth % 2 === 0 ? 'standard' : 'priority_5min'),
  )
  const { missesAhead, retrying } = await backlog([], [], [worker()], { delayed })
  expect(retrying.map(({ jobs, reason }) => [reason, jobs])).toEqual([
    [null, 50],
    ['media-unreachable', 150],
  ])
  expect(missesAhead).toBe(100)
})

it('groups jobs that wait for a retry by reason, and counts urgent ones whose next attempt is too late', async () => {
  const delayed = [
    job('late', {}, 'priority_5min'),
    job('in time', { nextTryAt: NOW + 20_000 }, 'priority_5min'),
    job('standard', {}, 'standard'),
    job('held', { failure: null, nextTryAt: NOW - 1 }, 'standard'),
  ]
  const { missesAhead, retrying } = await backlog([], [], [worker()], { delayed })
  expect(retrying).toEqual([
    { queue: 'analyze-image', reason: 'media-unreachable', jobs: 3, nextTryInMs: 20_000 },
    { queue: 'analyze-image', reason: null, jobs: 1, nextTryInMs: 0 },
  ])
  expect(missesAhead).toBe(1)
})

it('counts every urgent retry as late where no worker serves it, and one that is overdue', async () => {
  const delayed = [job('soon', { nextTryAt: NOW + 1 }, 'priority_5min'), job('standard', {}, 'standard')]
  expect((await backlog([], [], [], { delayed })).missesAhead).toBe(1)
  const overdue = job('overdue', { addedAt: NOW - PRIORITY_MS - 1, nextTryAt: NOW - PRIORITY_MS }, 'priority_5min')
  expect((await backlog([], [], [worker()], { delayed: [overdue] })).missesAhead).toBe(1)
})
