import { shownSettings } from '../../config/show.js'
import { withinLimit } from '../../core/time-limit.js'
import { VERSION } from '../../core/version.js'
import type { DaemonState } from '../../fleet/daemon-state.js'
import type { FleetState } from '../../fleet/fleet-state.js'
import { QUEUE_NAMES } from '../../queue/queues.js'
import { clockTrouble } from '../../service/clock-trouble.js'
import type { Fleet } from '../fleet/fleet.js'
import { commandFlags, type DaemonParts } from '../parts.js'
import { RECENT_ROWS } from './activity.js'
import type { Roles } from './roles.js'

/** What a page waits for the queue at most, ms: one that is away must not look like a daemon that is gone. */
const QUEUE_ANSWER_MS = 1000

/** The daemon's state for console and `/status`, put together again for each of them. */
export function stateOf(parts: DaemonParts, roles: Roles, fleet: Fleet): () => Promise<DaemonState> {
  const { activity, clock, queue, settings } = parts
  const startedAt = clock.now()
  const asked = <T>(work: Promise<T>, otherwise: T) =>
    withinLimit(clock, QUEUE_ANSWER_MS, work, () => otherwise).catch(() => otherwise)
  return async () => {
    const { detectors, stream, submission } = roles.readiness
    const stake = submission?.gate.stake
    const processes = detectors?.state()
    const counting = Promise.all(
      QUEUE_NAMES.map(async (name) => ({ name, paused: await queue.isPaused(name), ...(await queue.counts(name)) })),
    )
    const [queues, known, recent] = await Promise.all([
      asked(counting, []),
      asked<FleetState | null>(fleet.state(), null),
      asked(fleet.rows(RECENT_ROWS), activity.recent),
    ])
    return {
      version: VERSION,
      name: fleet.name,
      commandFlags: commandFlags(parts),
      startedAt,
      pid: process.pid,
      roles: settings.roles,
      service: settings.serviceUrl ?? 'no service',
      queueEngine: queue.kind,
      draining: roles.draining,
      queues,
      fleet: known,
      recent,
      stake: stake
        ? {
            stakedWei: String(stake.stakedWei),
            minStakeWei: String(stake.minStakeWei),
            enough: submission?.gate.stakeOk ?? false,
            reason: submission?.gate.stakeTrouble ?? null,
          }
        : null,
      clock: submission ? clockState(submission) : null,
      stream: stream ? activity.stream() : null,
      doppelgangers: submission?.doppelgangers.findings ?? null,
      detectors: detectors?.detectors ?? [],
      canaries: activity.comparisons.canaries,
      drift: parts.drift.rows(),
      expectedShare: settings.expectedShare,
      selection: detectors ? parts.selection.state : null,
      ...(detectors?.detectors.some(({ shadow }) => shadow) ? { shadows: activity.comparisons.shadows } : {}),
      detectorProcesses: processes ?? null,
      lastInferenceAt: processes ? clock.now() - processes.lastInferenceAgoMs : null,
      settings: shownSettings(parts),
    }
  }
}

function clockState({ serviceClock, windowMs }: NonNullable<Roles['readiness']['submission']>): DaemonState['clock'] {
  const state = serviceClock.state()
  return { ...state, reason: clockTrouble(state, windowMs) }
}
