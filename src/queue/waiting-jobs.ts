import type { BullQueue } from './backing.js'

/** The jobs of one priority, of which the first `limit` are read one by one. */
export interface WaitingLine {
  readonly priority: number
  readonly limit: number
}

export interface WaitingJobs {
  readonly waiting: number
  /** When the first of them were added, Unix ms, in the order in which they will be taken. */
  readonly addedAt: readonly number[]
}

/** Waiting jobs by priority, delayed ones aside. @param wanted all priorities of the queue, in order */
export async function waitingJobs(queue: BullQueue, wanted: readonly WaitingLine[]): Promise<WaitingJobs[]> {
  const counts = await queue.getCountsPerPriority(wanted.map(({ priority }) => priority))
  const lines: WaitingJobs[] = []
  let before = 0
  for (const { limit, priority } of wanted) {
    const waiting = counts[priority] ?? 0
    const last = before + Math.min(waiting, limit) - 1
    const ids = waiting > 0 ? await queue.getRanges(['prioritized'], before, last, true) : []
    const jobs = await Promise.all(ids.map((id) => queue.getJob(id)))
    // A job that was taken meanwhile may be gone.
    lines.push({ waiting, addedAt: jobs.flatMap((job) => (job ? [job.timestamp] : [])) })
    before += waiting
  }
  return lines
}
