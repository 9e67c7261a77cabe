import type { Reason } from '../core/reasons.js'
import type { LoadedDetector } from './detection.js'

/** Why a detector process ended; `killed` by somebody else: a person, or the kernel where memory runs out. */
export type StopCause = 'crashed' | 'killed' | 'timeout' | 'memory' | 'jobs' | 'self-test' | 'answer' | 'closed'

/** What the detector host reports for metrics. */
export type DetectorEvent =
  | {
      /** At the start and after each reload. */
      readonly type: 'detectors-loaded'
      readonly detectors: readonly LoadedDetector[]
      /** Those that they replace. */
      readonly before: readonly LoadedDetector[]
    }
  | { readonly type: 'child-started'; readonly pid: number }
  | { readonly type: 'child-start-failed'; readonly reason: Reason }
  | { readonly type: 'child-stopped'; readonly pid: number; readonly cause: StopCause }
  | { readonly type: 'job-started'; readonly pid: number; readonly detectorId: string }

/** Fed by the detector host; `app/` turns what it gets into metrics. */
export type DetectorEventSink = (event: DetectorEvent) => void
