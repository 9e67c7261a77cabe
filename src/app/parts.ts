import path from 'node:path'
import type { LoadedSettings } from '../config/load.js'
import type { Clock } from '../core/clock.js'
import type { Logger } from '../observe/logger.js'
import type { Metrics } from '../observe/metrics/metrics.js'
import type { ThrottledLog } from '../observe/throttled-log.js'
import type { QueueEngine } from '../queue/queues.js'
import type { Signer } from '../wallet/signer.js'
import type { Activity } from './daemon/activity.js'
import type { Report } from './daemon/report.js'
import type { DataPaths } from './data-dir.js'
import type { DriftWatch } from './drift/drift-watch.js'
import type { DetectorSelection } from './rollout/detector-selection.js'

/** The loaded settings and what exists before the daemon. `secrets` are masked in what HTTP sends. */
export interface DaemonOptions extends Pick<LoadedSettings, 'settings' | 'origins' | 'secrets' | 'file'> {
  readonly log: Logger
  readonly metrics: Metrics
  /** Ends waits of the start. */
  readonly signal: AbortSignal
}

export interface DaemonParts extends DaemonOptions {
  readonly clock: Clock
  readonly paths: DataPaths
  readonly queue: QueueEngine
  /** Repeated trouble as one log line a minute. */
  readonly outages: ThrottledLog
  readonly activity: Activity
  readonly drift: DriftWatch
  readonly selection: DetectorSelection
  readonly report: Report
  /** Null where this process signs with no wallet. */
  readonly signer: Signer | null
}

/** Verbs read the same file; without one only the folder states which daemon is meant. */
export const commandFlags = ({ file, settings }: DaemonOptions): string[] =>
  file === null ? ['--data-dir', path.resolve(settings.dataDir)] : ['--config', path.resolve(file)]
