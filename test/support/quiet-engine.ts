import { systemClock } from '../../src/core/clock.js'
import { silentLog } from '../../src/core/log.js'
import { openQueueEngine } from '../../src/queue/engine.js'
import type { QueueEngine } from '../../src/queue/queues.js'

/** A real engine with one worker and one try per queue, for tests of what shows its queues. */
export function openQuietEngine(url: string, dataDir: string, prefix = 'attestd'): Promise<QueueEngine> {
  return openQueueEngine({
    url,
    dataDir,
    prefix,
    lockMs: 30_000,
    concurrency: { analyze: 1, submit: 1 },
    retryMaxMs: 60_000,
    clock: systemClock,
    random: () => 0.5,
    log: silentLog,
  })
}
