import { z } from 'zod'
import { systemClock } from '../../core/clock.js'
import { AttestdError, toAttestdError } from '../../core/errors.js'
import type { Log } from '../../core/log.js'
import type { DetectorChoice } from '../../detect/package/selection.js'
import { callDaemon } from '../../observe/control-client.js'
import type { Metrics } from '../../observe/metrics.js'
import { runningDaemon } from '../running-daemon.js'
import type { Roles } from './roles.js'

/** A swap warms processes for every package; longer than this, ms, and the verb stops waiting for it. */
const RELOAD_ANSWER_MS = 280_000

/** A detector as the verb prints it. */
const reloadedDetector = z.object({
  id: z.string(),
  version: z.string(),
  digest: z.string(),
  mediaTypes: z.array(z.string()),
  shadow: z.boolean(),
  weight: z.number(),
})
/** One package in use after a reload; `digest` is the SHA-256 of its manifest, 64 hex characters. */
export type ReloadedDetector = z.infer<typeof reloadedDetector>

/**
 * Reloads the detector packages without losing a job; see `DetectorHost.reload`.
 * @param roles without detectors in a process that does not analyze
 * @returns those in use from now on
 * @throws AttestdError why the old ones stayed
 */
export async function reloadDetectors(
  roles: Pick<Roles, 'readiness' | 'retryFailed'>,
  { log, metrics }: { readonly log: Log; readonly metrics: Metrics },
  choices?: readonly DetectorChoice[],
): Promise<ReloadedDetector[]> {
  const { detectors } = roles.readiness
  try {
    if (detectors === null) {
      throw new AttestdError(
        'setting-invalid',
        'This process does not analyze (ATTESTD_ROLES), so it has no detectors.',
      )
    }
    await detectors.reload(choices)
    metrics.detectorReloads.inc({ outcome: 'done' })
    roles.retryFailed()
    return detectors.detectors.map((one) => ({ ...one, mediaTypes: [...one.mediaTypes] }))
  } catch (error) {
    const { reason } = toAttestdError(error)
    metrics.detectorReloads.inc({ outcome: reason })
    log.error({ reason, err: error }, 'detectors were not replaced; the old ones stayed')
    throw error
  }
}

/**
 * Has the daemon of this data directory reload its detector packages.
 * @param detectors text of the setting; absent: the selection that it works with
 * @throws AttestdError why it kept the old ones, or daemon-not-running where no daemon runs
 */
export async function reloadRunningDaemon(dataDir: string, detectors?: string): Promise<ReloadedDetector[]> {
  const daemon = await runningDaemon(dataDir)
  if (!daemon) throw new AttestdError('daemon-not-running', `No daemon runs on ${dataDir}.`)
  const call = {
    method: 'POST',
    path: '/control/reload',
    body: detectors === undefined ? {} : { detectors },
    answer: z.object({ detectors: z.array(reloadedDetector) }),
    timeoutMs: RELOAD_ANSWER_MS,
  } as const
  const { detectors: inUse } = await callDaemon(daemon, call, systemClock)
  return inUse
}
