import type { CheckResult } from '../../observe/health.js'
import { QUEUE_NAMES, type QueueEngine } from '../../queue/queues.js'
import type { Fleet } from './fleet.js'

/**
 * Whether somebody on the queue does the work that waits in it. A queue of each role has the role's name.
 * @throws AttestdError queue-unreachable
 */
export async function workersCheck(
  queue: Pick<QueueEngine, 'counts' | 'ping'>,
  fleet: Pick<Fleet, 'daemons'>,
): Promise<CheckResult> {
  // First, because the commands after it would wait for an engine that is away.
  await queue.ping()
  const alive = (await fleet.daemons()).filter(({ state }) => state === 'alive')
  for (const name of QUEUE_NAMES) {
    if (alive.some(({ roles }) => roles.includes(name))) continue
    const { waiting } = await queue.counts(name)
    if (waiting > 0) return missing(name, waiting)
  }
  return { ok: true, says: `Daemons on this queue: ${alive.length}; what waits is worked on.` }
}

function missing(name: string, waiting: number): CheckResult {
  const says = `Jobs waiting in the queue ${name}: ${waiting}; no daemon on this queue has the role ${name}.`
  return { ok: false, reason: 'workers-missing', says, detail: { queue: name, waiting } }
}
