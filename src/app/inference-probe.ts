import type { Clock } from '../core/clock.js'
import { toAttestdError } from '../core/errors.js'
import type { Log } from '../core/log.js'
import type { DetectorHost } from '../detect/detection.js'

/** Without live work a real inference is made this often, ms: well within the minute that readiness demands. */
const PROBE_EVERY_MS = 20_000

/** Keeps the proof fresh that inference works, by the package's own sample, while there is no live work. */
export async function probeInference(
  detectors: DetectorHost,
  clock: Clock,
  log: Log,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const { lastInferenceAgoMs, unreachable } = detectors.state()
    // A model server that was away is asked again even while other detectors have work.
    if (lastInferenceAgoMs >= PROBE_EVERY_MS || unreachable.length > 0) {
      await detectors.probe(signal).catch((error) => {
        if (!signal.aborted) log.warn({ reason: toAttestdError(error).reason, err: error }, 'inference probe failed')
      })
    }
    await clock.sleep(PROBE_EVERY_MS / 2, signal).catch(() => {})
  }
}
