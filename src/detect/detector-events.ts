import type { MediaType } from '../core/media-types.js'
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
  | { readonly type: 'child-started'; readonly pid: number; readonly startMs: number }
  | { readonly type: 'child-start-failed'; readonly reason: Reason }
  | { readonly type: 'child-stopped'; readonly pid: number; readonly cause: StopCause }
  | { readonly type: 'job-started'; readonly pid: number; readonly detectorId: string }
  | {
      readonly type: 'job-finished'
      readonly detectorId: string
      readonly mediaType: MediaType
      /** `scored`, or the reason there is no score. */
      readonly outcome: 'scored' | Reason
      /** From the request to the answer, waiting included. */
      readonly totalMs: number
      /** Present where there is a score. */
      readonly elapsedMs?: { readonly decode: number; readonly infer: number } | undefined
    }

/** Fed by the detector host; `app/` turns what it gets into metrics. */
export type DetectorEventSink = (event: DetectorEvent) => void
