import type { Reason } from '../core/reasons.js'
import type { Detection } from '../detect/detection.js'
import type { Asset, ServiceEvent, Stake, Turnaround } from '../service/port.js'
import type { JobAsset, SubmitResult, Verdict } from './jobs.js'

/** Why intake did not turn an open asset into a job. */
export type SkipCause = 'already-scored' | 'already-queued'

/** What the pipeline tells metrics, the console and the ledger. Handlers must not throw. */
export interface PipelineEvents {
  streamEvent?(event: ServiceEvent): void
  stake?(stake: Stake): void
  enqueued?(asset: JobAsset): void
  skipped?(cause: SkipCause, asset: Asset): void
  dropped?(event: { assetId: string; turnaround: Turnaround }): void
  detected?(event: { asset: JobAsset; detection: Detection }): void
  verdict?(event: { asset: JobAsset; verdict: Verdict; cached: boolean; seenAt: number }): void
  abstained?(event: { asset: JobAsset; reason: Reason; message: string; seenAt: number }): void
  submitted?(event: { asset: JobAsset; result: SubmitResult; verdict: Verdict; seenAt: number }): void
}
