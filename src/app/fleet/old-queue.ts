import type { Log } from '../../core/log.js'
import type { FleetDaemon } from '../../fleet/fleet-state.js'
import type { CheckResult } from '../../observe/health.js'
import type { QueueEngine } from '../../queue/queues.js'
import type { Fleet } from './fleet.js'

/** What a daemon of an earlier release, with one analyze queue for all kinds, does on this queue; its card names no kinds. */
const oldDaemon = (daemons: readonly FleetDaemon[], role: string) =>
  daemons.find(({ kinds, roles, state }) => state !== 'lost' && roles.includes(role) && !kinds)

/** Fails where an earlier release takes in assets that only an earlier release would analyze, and none does; else null. */
export function strandedCheck(daemons: readonly FleetDaemon[]): CheckResult | null {
  const intake = oldDaemon(daemons, 'intake')
  if (!intake || oldDaemon(daemons, 'analyze')) return null
  const message = `${intake.name} is of an earlier release, and nobody analyzes what it queues: replace it by this release.`
  return { ok: false, reason: 'workers-missing', message }
}

/** Removes the one analyze queue of earlier releases once no daemon of these uses it. @throws AttestdError queue-unreachable */
export async function removeOldQueue(
  queue: Pick<QueueEngine, 'removeOldQueue'>,
  fleet: Pick<Fleet, 'daemons'>,
  log: Log,
): Promise<void> {
  const daemons = await fleet.daemons()
  if (oldDaemon(daemons, 'analyze') || oldDaemon(daemons, 'intake')) return
  const jobs = await queue.removeOldQueue()
  if (jobs > 0) log.info({ jobs }, 'the queue of an earlier release was removed; open assets are queued by kind')
}
