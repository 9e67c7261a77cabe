import type { Clock } from '../../core/clock.js'
import { SharedReading } from '../../core/shared-reading.js'
import { unservedText } from '../../fleet/backlog-text.js'
import { workersOf } from '../../fleet/known-daemons.js'
import type { CheckResult } from '../../observe/health.js'
import { QUEUE_NAMES, type QueueEngine, type QueueName } from '../../queue/queues.js'
import type { Fleet } from './fleet.js'

/** A good answer holds for so long, ms: with the beat of a second the next one is stated within 5 s. */
const GOOD_KEPT_MS = 3000

/** Makes a check out of a look whose good answer is kept for some seconds: each counts the jobs of up to seven queues. */
export function seldomCheck(
  clock: Pick<Clock, 'monotonic'>,
  look: () => Promise<CheckResult>,
): () => Promise<CheckResult> {
  const reading = new SharedReading<CheckResult>({ clock, keptMs: ({ ok }) => (ok ? GOOD_KEPT_MS : 0) })
  return () => reading.share(look)
}

/** Whether somebody on the queue does the waiting work. @param own queues of this daemon @throws queue-unreachable */
export async function workersCheck(
  queue: Pick<QueueEngine, 'counts' | 'ping'>,
  fleet: Pick<Fleet, 'daemons'>,
  own: readonly QueueName[],
): Promise<CheckResult> {
  // First, because the commands after it would wait for an engine that is away.
  await queue.ping()
  const others = QUEUE_NAMES.filter((name) => !own.includes(name))
  const counted = others.map(async (name) => {
    const { delayed, waiting } = await queue.counts(name)
    return { queue: name, waiting: waiting + delayed }
  })
  const full = (await Promise.all(counted)).filter(({ waiting }) => waiting > 0)
  // Many daemons look every second: the others are only read of where there is a question.
  const daemons = full.length > 0 ? await fleet.daemons() : []
  const missing = full.filter((one) => workersOf(daemons, one.queue).length === 0)
  if (missing.length === 0) return { ok: true, message: 'Every waiting job has a live worker.' }
  const detail = Object.fromEntries(missing.map((one) => [one.queue, one.waiting]))
  return { ok: false, reason: 'workers-missing', message: missing.map(unservedText).join(' '), detail }
}
