import type { CheckResult } from '../../observe/health.js'
import { QUEUE_NAMES, type QueueEngine } from '../../queue/queues.js'
import type { Fleet } from './fleet.js'

/**
 * Whether somebody on the queue does the work that waits in it. A queue has the name of the role that works on it.
 * @param own roles that this daemon holds now
 * @throws AttestdError queue-unreachable
 */
export async function workersCheck(
  queue: Pick<QueueEngine, 'counts' | 'ping'>,
  fleet: Pick<Fleet, 'daemons'>,
  own: readonly string[],
): Promise<CheckResult> {
  // First, because the commands after it would wait for an engine that is away.
  await queue.ping()
  for (const name of QUEUE_NAMES.filter((one) => !own.includes(one))) {
    const { waiting } = await queue.counts(name)
    // Many daemons look every second: the others are only read of where there is a question.
    if (waiting > 0 && !(await hasWorker(fleet, name))) return missing(name, waiting)
  }
  return { ok: true, message: 'Nothing waits without a daemon that works on it.' }
}

async function hasWorker(fleet: Pick<Fleet, 'daemons'>, role: string): Promise<boolean> {
  return (await fleet.daemons()).some(({ roles, state }) => state === 'alive' && roles.includes(role))
}

function missing(name: string, waiting: number): CheckResult {
  const message = `Jobs waiting in the queue ${name}: ${waiting}; no daemon on this queue has the role ${name}.`
  return { ok: false, reason: 'workers-missing', message, detail: { queue: name, waiting } }
}
