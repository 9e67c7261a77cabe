import { z } from 'zod'
import { AttestdError } from '../../core/errors.js'
import { runningDetector } from '../../fleet/daemon-state.js'
import { orderOutcome } from '../rollout/order-detectors.js'
import { callDaemon, runningDaemon } from '../running-daemon.js'

/** All daemons of the fleet warm processes for every package; longer than this, ms, and the verb stops waiting for them. */
const ANSWER_MS = 280_000

const FIX =
  'Start one with attestd run, or run this where one of the queue runs, and name its data directory (--config, --data-dir or ATTESTD_DATA_DIR). It reaches all daemons on the queue, so there is no --queue-url.'

const answer = z.object({
  detectors: z.array(runningDetector),
  daemons: z.array(orderOutcome),
})
/** The detectors that the asked daemon works with from now on, none where it does not analyze, and what became of the order on each. */
export type OrderAnswer = z.infer<typeof answer>

/**
 * Has the daemon of this data directory, and all others on its queue, reload their detector packages.
 * @param detectors text of the setting; absent: the selection that they work with
 * @throws AttestdError why all of them kept the old ones, or daemon-not-running where none runs
 */
export const reloadFleet = (dataDir: string, detectors?: string): Promise<OrderAnswer> =>
  order(dataDir, '/control/reload', { detectors })

/** The same, with the selection before. @throws AttestdError as `reloadFleet`, setting-invalid where there is none */
export const rollBackFleet = (dataDir: string): Promise<OrderAnswer> => order(dataDir, '/control/rollback', {})

async function order(dataDir: string, path: string, body: unknown): Promise<OrderAnswer> {
  const daemon = await runningDaemon(dataDir)
  if (!daemon) throw new AttestdError('daemon-not-running', `No daemon runs on ${dataDir}.`, { fix: FIX })
  return callDaemon(daemon, { method: 'POST', path, body, answer, timeoutMs: ANSWER_MS })
}
