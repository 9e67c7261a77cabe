import { expect, it } from 'vitest'
import { AttestdError } from '../../src/core/errors.js'
import type { FetchedMedia, FetchRequest } from '../../src/media/media-source.js'
import { fetchAside } from '../../src/pipeline/fetch-aside.js'
import { type AnalyzeJob, parseAnalyzeJob } from '../../src/pipeline/jobs.js'
import { deferred } from '../queue/queue-support.js'
import { ManualClock } from '../support/manual-clock.js'
import { jobRun, submitJobData } from '../support/pipeline-parts.js'

function setUp(slowFetches?: number) {
  const { asset, seenAt } = submitJobData()
  const job = parseAnalyzeJob({ asset, seenAt, slowFetches })
  const aside: string[] = []
  const run = {
    ...jobRun(job),
    stepAside: () => {
      aside.push('left')
      return () => void aside.push('back')
    },
  }
  const arrival = deferred<FetchedMedia | AttestdError>()
  const requests: FetchRequest[] = []
  const clock = new ManualClock()
  const media = {
    fetch: async (request: FetchRequest) => {
      requests.push(request)
      const arrived = await arrival.promise
      if (arrived instanceof AttestdError) throw arrived
      return arrived
    },
  } as Parameters<typeof fetchAside>[2]['media']
  return { arrival, aside, clock, fetched: fetchAside(job, run, { clock, media }), requests, run }
}

const MEDIA = { file: '/a', bytes: 1, release: () => {} }

it('a fast fetch keeps the slot of its job', async () => {
  const { arrival, aside, clock, fetched } = setUp()
  await clock.advance(499)
  arrival.resolve(MEDIA)
  expect(await fetched).toBe(MEDIA)
  expect(aside).toEqual([])
  expect(clock.sleeping).toBe(0)
})

it('a slow one passes it to other jobs after half a second, and takes it back for the analysis', async () => {
  const { arrival, aside, clock, fetched } = setUp()
  await clock.advance(500)
  expect(aside).toEqual(['left'])
  arrival.resolve(MEDIA)
  await fetched
  expect(aside).toEqual(['left', 'back'])
})

it('media that was too slow is counted in the job, so that the next fetch may take longer and passes the slot on at once', async () => {
  const { arrival, aside, clock, fetched, requests, run } = setUp(1)
  await clock.advance(0)
  expect(aside).toEqual(['left'])
  arrival.resolve(new AttestdError('media-too-slow'))
  await expect(fetched).rejects.toMatchObject({ reason: 'media-too-slow' })
  expect(requests).toMatchObject([{ slowBefore: 1 }])
  expect(run.saved).toMatchObject([{ slowFetches: 2 } satisfies Partial<AnalyzeJob>])
  expect(aside).toEqual(['left', 'back'])
})

it('other failures are not counted', async () => {
  const { arrival, fetched, run } = setUp()
  arrival.resolve(new AttestdError('media-unreachable'))
  await expect(fetched).rejects.toMatchObject({ reason: 'media-unreachable' })
  expect(run.saved).toEqual([])
})
