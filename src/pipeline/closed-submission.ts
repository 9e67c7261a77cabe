import type { QueueEngine } from '../queue/queues.js'
import { submitResult } from './jobs.js'

/**
 * Whether the submit job of this id ended because the asset seemed closed. Where the service offers the asset again (a
 * stray 404, or it reopened), what is kept of that job would keep the asset from ever being scored.
 */
export async function endedClosed(queue: Pick<QueueEngine, 'result'>, id: string): Promise<boolean> {
  const ended = submitResult.safeParse(await queue.result('submit', id))
  return ended.success && ended.data.outcome === 'closed'
}
