import { QUEUE_NAMES, type QueueEngine, type QueueName } from './queues.js'

/** The queues that somebody has paused. @throws AttestdError queue-unreachable */
export async function pausedQueues(queue: Pick<QueueEngine, 'isPaused'>): Promise<QueueName[]> {
  const paused = await Promise.all(QUEUE_NAMES.map((name) => queue.isPaused(name)))
  return QUEUE_NAMES.filter((_, nth) => paused[nth])
}
