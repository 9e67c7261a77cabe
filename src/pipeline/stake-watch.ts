import type { Clock } from '../core/clock.js'
import { toAttestdError } from '../core/errors.js'
import type { Log } from '../core/log.js'
import type { AttesterService, Stake } from '../service/port.js'

export interface StakeWatchOptions {
  readonly service: AttesterService
  readonly clock: Clock
  readonly log: Log
  readonly everyMs: number
  readonly onStake: (stake: Stake) => void
  /** The service refused the list (403), as it does below the minimum stake. */
  readonly onForbidden: () => void
}

/** Reads the stake regularly, for a process that submits but takes nothing in (intake reads it on the way). */
export async function watchStake(options: StakeWatchOptions, signal: AbortSignal): Promise<void> {
  const { clock, everyMs, log, onForbidden, onStake, service } = options
  while (!signal.aborted) {
    let pauseMs = everyMs
    try {
      const { stake } = await service.listOpen({ includeMyScore: false }, signal)
      if (stake) onStake(stake)
    } catch (error) {
      if (signal.aborted) return
      const { reason, retryAfterMs } = toAttestdError(error)
      if (reason === 'service-forbidden') onForbidden()
      pauseMs = Math.max(everyMs, retryAfterMs ?? 0)
      log.warn({ reason, retryInMs: pauseMs }, 'reading the stake failed')
    }
    await clock.sleep(pauseMs, signal).catch(() => {})
  }
}
