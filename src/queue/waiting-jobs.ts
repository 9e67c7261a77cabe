import type { IQueueBackend, Queue } from 'bullmq'
import type { AnyConnection } from './backing.js'

/** The jobs of one priority that wait to be taken. */
export interface WaitingJobs {
  readonly priority: number
  readonly waiting: number
  /** When the first of them were added, Unix ms, in the order in which they will be taken. */
  readonly addedAt: readonly number[]
}

type BullQueue = Queue<unknown, unknown, string, unknown, unknown, string, IQueueBackend, AnyConnection>

/** Waiting jobs by priority, delayed ones aside. @param priorities in order @param limit jobs of a line looked at */
export async function waitingJobs(
  queue: BullQueue,
  priorities: readonly number[],
  limit: number,
): Promise<WaitingJobs[]> {
  const counts = await queue.getCountsPerPriority([...priorities])
  const lines: WaitingJobs[] = []
  let before = 0
  for (const priority of priorities) {
    const waiting = counts[priority] ?? 0
    const last = before + Math.min(waiting, limit) - 1
    const ids = waiting > 0 ? await queue.getRanges(['prioritized'], before, last, true) : []
    const jobs = await Promise.all(ids.map((id) => queue.getJob(id)))
    // A job that was taken meanwhile may be gone.
    lines.push({ priority, waiting, addedAt: jobs.flatMap((job) => (job ? [job.timestamp] : [])) })
    before += waiting
  }
  return lines
}
