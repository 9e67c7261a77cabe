import type { Log } from '../../core/log.js'
import type { QueueEngine } from '../../queue/queues.js'
import type { Fleet } from './fleet.js'

/** Removes the one analyze queue of earlier releases once no daemon of these works on it. @throws AttestdError queue-unreachable */
export async function removeOldQueue(
  queue: Pick<QueueEngine, 'removeOldQueue'>,
  fleet: Pick<Fleet, 'daemons'>,
  log: Log,
): Promise<void> {
  const daemons = await fleet.daemons()
  if (daemons.some(({ kinds, roles, state }) => state !== 'lost' && roles.includes('analyze') && !kinds)) return
  const jobs = await queue.removeOldQueue()
  if (jobs > 0) log.info({ jobs }, 'the queue of an earlier release was removed; open assets are queued by kind')
}
