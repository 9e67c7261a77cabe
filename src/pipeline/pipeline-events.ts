import type { Reason } from '../core/reasons.js'
import type { Risk } from '../core/risk.js'
import type { Detection, ShadowMeasurement } from '../detect/detection.js'
import type { DetectorSummary } from '../detect/package/detector-summary.js'
import type { Asset, ServiceEvent, Turnaround } from '../service/port.js'
import type { JobAsset, TypedAsset } from './jobs.js'

/** Why intake did not turn an open asset into a job. */
export type SkipCause = 'already-scored' | 'already-queued'

/** A candidate compared with the active detectors on one file: a shadow measured aside, or a canary whose score was submitted. */
export interface Comparison {
  readonly asset: TypedAsset
  readonly submitted: Detection
  /** What was measured aside: a shadow, or the active detectors on a file of a canary. */
  readonly measurement: ShadowMeasurement
  /** Whether both risks are on the same side of 0.5; null where the one measured aside returned no score. */
  readonly agrees: boolean | null
  /** Whether the daemon would have done something else: abstained or not, or the other side; null where there is no score. */
  readonly wouldChange: boolean | null
}

/** An analysis that did not end before its asset closed. */
export interface DroppedAnalysis {
  readonly turnaround: Turnaround
  /** Null where the job is malformed. */
  readonly asset: JobAsset | null
  /** How its last try failed; null where it had none. */
  readonly failure: { readonly reason: Reason; readonly message: string } | null
}

/** A score with our key that no daemon on this queue sent; `algorithm` is null where the service does not show it. */
export interface ForeignScore {
  readonly asset: JobAsset
  /** When intake first saw the asset open, local Unix ms. */
  readonly seenAt: number
  readonly risk: Risk
  readonly algorithm: string | null
}

/** What the pipeline reports to metrics and the console in addition to the ends of its jobs. Handlers must not throw. */
export interface PipelineEvents {
  streamEvent?(event: ServiceEvent): void
  enqueued?(asset: JobAsset): void
  skipped?(cause: SkipCause, asset: Asset): void
  dropped?(event: DroppedAnalysis): void
  /** An asset closed while it waited for a person. */
  undecided?(event: { readonly asset: JobAsset; readonly message: string }): void
  /** A score on record of an asset that this queue abstained from. */
  foreign?(event: ForeignScore): void
  detected?(event: { asset: TypedAsset; detection: Detection }): void
  /** A detector abstained from a file without a score. */
  refused?(event: { asset: TypedAsset; detector: DetectorSummary }): void
  compared?(comparison: Comparison): void
  /** A file that no shadow measured, because there was other work. */
  shadowDropped?(asset: TypedAsset): void
}
