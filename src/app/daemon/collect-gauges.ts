import { freeBytes } from '../../core/disk/free-space.js'
import type { DetectorHost } from '../../detect/detection.js'
import type { Metrics } from '../../observe/metrics/metrics.js'
import { QUEUE_NAMES, type QueueEngine } from '../../queue/queues.js'
import type { DriftWatch } from '../drift/drift-watch.js'
import type { DaemonParts } from '../parts.js'
import type { Roles } from './roles.js'

/** Writes how many jobs are in which state for a scrape. */
export async function collectDepths(
  queue: Pick<QueueEngine, 'counts' | 'ping'>,
  { queueDepth }: Pick<Metrics, 'queueDepth'>,
): Promise<void> {
  // First, because the commands after it would wait for an engine that is away.
  await queue.ping()
  const depths = await Promise.all(QUEUE_NAMES.map(async (name) => ({ name, counts: await queue.counts(name) })))
  for (const { counts, name } of depths) {
    for (const [state, count] of Object.entries(counts)) queueDepth.set({ queue: name, state }, count)
  }
}

/** Writes what this daemon measures of itself for a scrape. */
export async function collectOwn(
  { activity, drift, metrics, paths }: DaemonParts,
  readiness: Roles['readiness'],
): Promise<void> {
  collectDrift(drift, metrics)
  const { connected, lastByteAgeMs } = activity.stream()
  metrics.streamConnected.set({}, connected ? 1 : 0)
  const stakeAgeMs = readiness.contract?.readAgeMs ?? null
  if (stakeAgeMs !== null) metrics.stakeReadAge.set({}, stakeAgeMs / 1000)
  if (lastByteAgeMs !== null) metrics.streamLastByteAge.set({}, lastByteAgeMs / 1000)
  const processes = readiness.detectors?.state()
  if (processes) collectProcesses(processes, metrics)
  metrics.diskFree.set({}, await freeBytes(paths.root))
}

function collectProcesses(processes: ReturnType<DetectorHost['state']>, metrics: Metrics): void {
  metrics.detectorProcesses.set({ state: 'ready' }, processes.ready)
  metrics.detectorProcesses.set({ state: 'busy' }, processes.busy)
  metrics.detectorProcesses.set({ state: 'starting' }, Math.max(0, processes.size - processes.ready - processes.busy))
  metrics.lastInferenceAge.set({}, processes.lastInferenceAgoMs / 1000)
}

/** Those of detectors that are not known yet have no series. */
function collectDrift(drift: DriftWatch, { driftPsi }: Pick<Metrics, 'driftPsi'>): void {
  driftPsi.clear()
  for (const { abstention, detector, reference, risk } of drift.rows()) {
    if (risk === null || abstention === null || reference === null) continue
    driftPsi.set({ detector, kind: 'risk', reference }, risk)
    driftPsi.set({ detector, kind: 'abstention', reference }, abstention)
  }
}
