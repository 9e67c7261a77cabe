import type { Reason } from '../core/reasons.js'
import type { Detection, ShadowMeasurement } from '../detect/detection.js'
import type { DetectorSummary } from '../detect/package/detector-summary.js'
import type { Asset, ServiceEvent, Turnaround } from '../service/port.js'
import type { JobAsset, TypedAsset } from './jobs.js'

/** Why intake did not turn an open asset into a job. */
export type SkipCause = 'already-scored' | 'already-queued'

/** The result of a shadow, beside what was measured for submission. */
export interface ShadowComparison {
  readonly asset: TypedAsset
  readonly submitted: Detection
  readonly measurement: ShadowMeasurement
  /** Whether both risks are on the same side of 0.5; null where the shadow returned no score. */
  readonly agrees: boolean | null
  /** Whether the daemon would have done something else: abstained or not, or the other side; null where there is no score. */
  readonly wouldChange: boolean | null
}

/** An analysis that did not end before its asset closed. */
export interface DroppedAnalysis {
  readonly assetId: string
  readonly turnaround: Turnaround
  /** Null where the job is malformed. */
  readonly asset: JobAsset | null
  /** How its last try failed; null where it had none. */
  readonly failure: { readonly reason: Reason; readonly message: string } | null
}

/** What the pipeline reports to metrics and the console beside the ends of its jobs. Handlers must not throw. */
export interface PipelineEvents {
  streamEvent?(event: ServiceEvent): void
  enqueued?(asset: JobAsset): void
  skipped?(cause: SkipCause, asset: Asset): void
  dropped?(event: DroppedAnalysis): void
  detected?(event: { asset: TypedAsset; detection: Detection }): void
  /** A detector abstained from a file without a score. */
  refused?(event: { asset: TypedAsset; detector: DetectorSummary }): void
  shadowed?(comparison: ShadowComparison): void
  /** The active detectors were measured on a file of a candidate; what was submitted is the candidate's. */
  canaryCompared?(comparison: ShadowComparison): void
  /** A file that no shadow measured, because there was other work. */
  shadowDropped?(asset: TypedAsset): void
}
