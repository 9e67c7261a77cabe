import type { DetectorPackage } from '../package/package-loader.js'
import type { BranchPart } from '../scoring/branches.js'
import type { Parts } from './medium-reader.js'

/** What a detector that composes others (frames of a video, its sound) uses of one of them. */
export interface PartsScorer {
  readonly pack: DetectorPackage
  /** Scores parts in their order. @throws AttestdError detector-failed */
  score(parts: Parts): Promise<BranchPart[]>
  /** One logit of them, as for a file of this detector's own. */
  together(scored: readonly BranchPart[]): number
}
