import { shortDigest } from '../../core/text.js'
import type { FleetDaemon, FleetState } from '../../fleet/fleet-state.js'
import type { Metrics } from '../../observe/metrics/metrics.js'
import { ANALYZE_QUEUES } from '../../queue/queues.js'
import { partLabel } from '../open/room-events.js'
import type { Fleet } from './fleet.js'

/** Writes what is known of the fleet for a scrape. */
export async function collectFleet(fleet: Pick<Fleet, 'state'>, metrics: Metrics): Promise<void> {
  const { backlog, daemons, mixed } = await fleet.state()
  const { fleetDaemons, fleetMixed } = metrics
  for (const state of ['alive', 'stopping', 'lost'] as const) {
    fleetDaemons.set({ state }, daemons.filter((daemon) => daemon.state === state).length)
  }
  for (const daemon of daemons) collectDaemon(daemon, metrics)
  fleetMixed.set({ what: 'version' }, mixed.versions.length > 0 ? 1 : 0)
  fleetMixed.set({ what: 'detectors' }, mixed.detectors.length > 0 ? 1 : 0)
  fleetMixed.set({ what: 'secret' }, mixed.fingerprints.length > 0 ? 1 : 0)
  collectBacklog(backlog, metrics)
}

function collectDaemon(daemon: FleetDaemon, { fleetDetectors, fleetJobs, fleetLastSeen }: Metrics): void {
  const { detectors, jobsPerSecond, lastSeenMs, machine, name, roles, state, version } = daemon
  fleetLastSeen.set({ daemon: name, machine, roles: roles.join('+'), version, state }, lastSeenMs / 1000)
  for (const [queue, perSecond] of Object.entries(jobsPerSecond)) {
    if (perSecond !== null) fleetJobs.set({ daemon: name, queue }, perSecond)
  }
  if (state === 'lost') return
  for (const { canary, digest, id, shadow, version: detectorVersion } of detectors) {
    const labels = { daemon: name, detector: id, version: detectorVersion, digest: shortDigest(digest) }
    fleetDetectors.set({ ...labels, part: partLabel({ canary, shadow }) }, 1)
  }
}

function collectBacklog(
  { drainMs, missesAhead, retrying, rows, unserved }: FleetState['backlog'],
  metrics: Metrics,
): void {
  for (const { oldestMs, queue, turnaround, waiting } of rows) {
    metrics.waitingJobs.set({ queue, turnaround }, waiting)
    metrics.waitingOldest.set({ queue, turnaround }, (oldestMs ?? 0) / 1000)
  }
  for (const [queue, ms] of Object.entries(drainMs)) {
    if (ms !== null) metrics.drainSeconds.set({ queue }, ms / 1000)
  }
  for (const { jobs, queue, reason } of retrying) metrics.retryingJobs.set({ queue, reason: reason ?? 'held' }, jobs)
  for (const queue of ANALYZE_QUEUES) metrics.unservedJobs.set({ queue }, 0)
  for (const { queue, waiting } of unserved) metrics.unservedJobs.set({ queue }, waiting)
  metrics.missesAhead.set({}, missesAhead)
}
