import type { Clock } from '../core/clock.js'
import type { Log } from '../core/log.js'
import type { RunningWorker } from '../queue/queues.js'
import type { Gate } from './gate.js'

/** How soon the worker follows the gate, ms. */
const FOLLOW_MS = 250

/** Rests the submit worker while the gate is closed: jobs then wait in the queue instead of asking again and again. */
export async function keepGate(
  gate: Gate,
  worker: Pick<RunningWorker, 'pause' | 'resume'>,
  clock: Clock,
  log: Log,
  signal: AbortSignal,
): Promise<void> {
  let resting = false
  while (!signal.aborted) {
    const answer = gate.check()
    if (!answer.open && !resting) {
      worker.pause()
      log.debug({ reason: answer.reason }, 'submission rests')
    }
    if (answer.open && resting) {
      worker.resume()
      log.debug({}, 'submission goes on')
    }
    resting = !answer.open
    await clock.sleep(FOLLOW_MS, signal).catch(() => {})
  }
}
