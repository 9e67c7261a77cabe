import { describe, expect, it } from 'vitest'
import { AttestdError } from '../../src/core/errors.js'
import { asRisk, riskOfPercent } from '../../src/core/risk.js'
import { parseSubmitJob, type StoredSubmitJob } from '../../src/pipeline/jobs.js'
import { decide, inReview, openReview, reviewOf, waitingReviews } from '../../src/pipeline/review-desk.js'
import type { KnownJob } from '../../src/queue/queues.js'
import type { Asset } from '../../src/service/port.js'
import { openAsset, storableDetection, submitJobData } from '../support/pipeline-parts.js'
import { withReason } from '../support/with-reason.js'

const NOW = Date.UTC(2026, 0, 1)
const HOUR = 60 * 60_000
const waitingJob = (deadline = NOW + HOUR): StoredSubmitJob =>
  submitJobData({ review: { deadline, doubt: 'lies in the decision band', parts: [], evidence: [] } })
const entered = { risk: riskOfPercent(12.5), note: 'seen before', by: 'ada' }

/** A queue of submissions as the engine keeps it: one of several that replace the same data has it. */
function deskWith(data: StoredSubmitJob | null, change: Partial<KnownJob> = {}) {
  const jobs = new Map<string, StoredSubmitJob>()
  if (data) jobs.set('job', data)
  const queue = {
    find: async (_name: string, id: string): Promise<KnownJob | null> => {
      const known = jobs.get(id)
      return known ? { state: 'waiting', data: known, attempts: 0, failure: null, ...change } : null
    },
    replace: async (_name: string, id: string, before: unknown, job: unknown) => {
      if (jobs.get(id) !== before) return false
      jobs.set(id, job as StoredSubmitJob)
      return true
    },
  }
  return { jobs, options: { queue, clock: { now: () => NOW, sleep: async () => {} } } }
}

describe('the deadline of an unsure asset', () => {
  const asset = openAsset()
  const of = (change: Partial<Asset>, seen: { seenAt: number; seenServiceAt?: number } = { seenAt: NOW }) =>
    reviewOf(storableDetection(), 'lies in the decision band', {
      asset: { ...asset, ...change },
      ...seen,
      unscoredAt: null,
    }).deadline

  it('is the closing time, five minutes after arrival for an urgent asset, and a day where nothing is stated', () => {
    expect(of({ closesAt: NOW + HOUR })).toBe(NOW + HOUR)
    expect(of({ closesAt: NOW + HOUR, turnaround: 'priority_5min' })).toBe(NOW + 5 * 60_000)
    expect(of({})).toBe(NOW + 24 * HOUR)
  })

  it('uses service time where it is known, however wrong the local clock is', () => {
    const seen = { seenAt: NOW - HOUR, seenServiceAt: NOW }
    expect(of({ turnaround: 'priority_5min' }, seen)).toBe(NOW + 5 * 60_000)
    expect(of({}, seen)).toBe(NOW + 24 * HOUR)
  })
})

describe('a decision', () => {
  it('is written into the waiting job, with person and time, in addition to the measured risk', async () => {
    const { jobs, options } = deskWith(waitingJob())
    await decide('job', entered, options)
    const job = parseSubmitJob(jobs.get('job'))
    expect(job.decision).toEqual({ ...entered, at: NOW })
    expect(job.verdict.risk).toBe(0.875)
    expect(inReview('job', jobs.get('job'))).toBeNull()
  })

  it('of a suspended daemon does not replace the one recorded meanwhile, and its daemon reports that', async () => {
    const { jobs, options } = deskWith(waitingJob())
    let other: Promise<unknown> | undefined
    const replace: typeof options.queue.replace = async (...change) => {
      other ??= decide('job', { ...entered, by: 'bob' }, options)
      await other
      return options.queue.replace(...change)
    }
    const late = decide('job', entered, { ...options, queue: { ...options.queue, replace } })
    await expect(late).rejects.toThrow(withReason('review-decided', /^bob decided 12\.5/))
    expect(parseSubmitJob(jobs.get('job')).decision!.by).toBe('bob')
  })

  it.each([true, false])('is searched for when its answer was lost: recorded %s', async (done) => {
    const { jobs, options } = deskWith(waitingJob())
    let answers = 0
    const replace: typeof options.queue.replace = async (...change) => {
      if (answers++ > 0) return options.queue.replace(...change)
      if (done) await options.queue.replace(...change)
      throw new AttestdError('queue-unreachable')
    }
    await decide('job', entered, { ...options, queue: { ...options.queue, replace } })
    expect(parseSubmitJob(jobs.get('job')).decision).toMatchObject(entered)
    expect(answers).toBe(done ? 1 : 2)
  })

  it('is refused while the queue stays unreachable', async () => {
    const { options } = deskWith(waitingJob())
    const replace = () => Promise.reject(new AttestdError('queue-unreachable', 'away'))
    const away = { ...options, queue: { ...options.queue, replace } }
    await expect(decide('job', entered, away)).rejects.toMatchObject({ reason: 'queue-unreachable', message: 'away' })
  })

  it('after the deadline is refused, and the job ends without a score', async () => {
    const { jobs, options } = deskWith(waitingJob(NOW))
    await expect(decide('job', entered, options)).rejects.toMatchObject({ reason: 'review-expired' })
    expect(parseSubmitJob(jobs.get('job')).decision).toBeUndefined()
  })

  it.each<[string, Asset | null, string]>([
    ['closed', null, 'asset-closed'],
    ['scored meanwhile', openAsset({ myScore: asRisk(0.3) }), 'score-conflict'],
  ])('on an asset that is %s is refused by name', async (_, asset, reason) => {
    const { jobs, options } = deskWith(waitingJob())
    const service = { find: async () => asset }
    await expect(decide('job', entered, { ...options, service })).rejects.toMatchObject({ reason })
    expect(parseSubmitJob(jobs.get('job')).decision).toBeUndefined()
  })

  it('on a job that the fleet did not write is refused', async () => {
    const { options } = deskWith(waitingJob(), { forged: true })
    await expect(decide('job', entered, options)).rejects.toMatchObject({ reason: 'fleet-code-wrong' })
  })

  it('on an asset that does not wait is refused', async () => {
    for (const data of [null, submitJobData()]) {
      await expect(openReview('job', deskWith(data).options)).rejects.toMatchObject({ reason: 'review-decided' })
    }
  })
})

it('waiting assets are listed by deadline, without expired ones', async () => {
  const all = [waitingJob(NOW + 2 * HOUR), submitJobData(), waitingJob(NOW + HOUR), waitingJob(NOW - 1)]
  const queue = {
    async *pending() {
      for (const [nth, data] of all.entries()) yield { id: String(nth), data, addedAt: NOW }
    },
  }
  expect((await waitingReviews(queue, NOW)).map(({ id }) => id)).toEqual(['2', '0'])
})
