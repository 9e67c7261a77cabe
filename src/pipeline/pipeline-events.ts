import type { Detection } from '../detect/detection.js'
import type { Asset, ServiceEvent, Turnaround } from '../service/port.js'
import type { JobAsset, TypedAsset } from './jobs.js'
import type { ShadowComparison } from './shadow-line.js'

/** Why intake did not turn an open asset into a job. */
export type SkipCause = 'already-scored' | 'already-queued'

/** What the pipeline tells metrics and the console beside the ends of its jobs. Handlers must not throw. */
export interface PipelineEvents {
  streamEvent?(event: ServiceEvent): void
  enqueued?(asset: JobAsset): void
  skipped?(cause: SkipCause, asset: Asset): void
  dropped?(event: { assetId: string; turnaround: Turnaround }): void
  detected?(event: { asset: TypedAsset; detection: Detection }): void
  shadowed?(comparison: ShadowComparison): void
  /** A file that no shadow measured, because there was other work. */
  shadowDropped?(asset: TypedAsset): void
}
