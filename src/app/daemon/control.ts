import { z } from 'zod'
import { inReview } from '../../pipeline/review-desk.js'
import { pausedQueues } from '../../queue/paused-queues.js'
import {
  type FailedJob,
  type QueueEngine,
  type QueueName,
  queuesNamed,
  queueWords,
  type RetryingJob,
} from '../../queue/queues.js'

const shownJob = z.object({
  queue: z.string(),
  id: z.string(),
  message: z.string(),
  attempts: z.number(),
  /** Null where the job's data name no asset. The data stay behind. */
  assetId: z.string().nullable(),
})
/** A failed job as the verbs show it; `failedAt` is in Unix milliseconds. */
export const listedJob = shownJob.extend({ reason: z.string(), failedAt: z.number() })
/** A job that waits for its next try, at Unix milliseconds; `reason` is null for one that was only held. */
export const retryingJob = shownJob.extend({ reason: z.string().nullable(), nextTryAt: z.number() })

/** Most jobs of the queues of a word, or of all. */
export interface ListQuery {
  readonly queue?: string | undefined
  readonly limit: number
}

/** The queue verbs, for the queues of a word (`QUEUE_WORDS`) or for all; `pause` and `resume` return what is paused from then on. */
export function controlOf(queue: QueueEngine) {
  const sum = async (name: string | undefined, count: (one: QueueName) => Promise<number>) => {
    const counts = await Promise.all(queuesNamed(name).map(count))
    return counts.reduce((all, one) => all + one, 0)
  }
  const list = async <Job>(
    { queue: name, limit }: ListQuery,
    read: (one: QueueName, limit: number) => Promise<Job[]>,
  ) => (await Promise.all(queuesNamed(name).map((one) => read(one, limit)))).flat().slice(0, limit)
  return {
    failed: async (query: ListQuery) => (await list(query, (name, limit) => queue.failed(name, limit))).map(listed),
    waiting: async (query: ListQuery) =>
      (await list(query, (name, limit) => queue.retrying(name, limit))).map(listedRetry),
    retry: ({ queue: name, ids }: { queue?: string | undefined; ids?: string[] | undefined }) =>
      sum(name, (one) => queue.retry(one, ids)),
    drain: ({ queue: name }: { queue?: string | undefined }) => sum(name, (one) => queue.drain(one)),
    async pause({ queue: name }: { queue?: string | undefined }): Promise<string[]> {
      for (const one of queuesNamed(name)) await queue.pause(one)
      return queueWords(await pausedQueues(queue))
    },
    async resume({ queue: name }: { queue?: string | undefined }): Promise<string[]> {
      for (const one of queuesNamed(name)) await queue.resume(one)
      return queueWords(await pausedQueues(queue))
    },
  }
}

/** A failed job without its data, which may be large; only the asset it is about. */
function listed({ queue, id, reason, message, attempts, failedAt, data }: FailedJob): z.infer<typeof listedJob> {
  return { queue, id, reason, message, attempts, failedAt, assetId: assetIdOf(data) }
}

function listedRetry({ queue, id, failure, attempts, nextTryAt, data }: RetryingJob): z.infer<typeof retryingJob> {
  const review = inReview(id, data)?.job.review
  const waits = review && {
    reason: 'review-waiting',
    message: `A person decides at /review until ${new Date(review.deadline).toISOString()}.`,
  }
  const { reason, message } = waits ?? failure ?? { reason: null, message: '' }
  return { queue, id, reason, message, attempts, nextTryAt, assetId: assetIdOf(data) }
}

const assetIdOf = (data: unknown): string | null =>
  z.object({ asset: z.object({ id: z.string() }) }).safeParse(data).data?.asset.id ?? null
