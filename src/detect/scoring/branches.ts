import type { ScoredPart } from '../child/measurement.js'
import type { Aggregation } from '../package/manifest.js'
import type { FacePlan } from '../package/preprocessing.js'
import { aggregateLogits } from './aggregation.js'

/** A part with its logit and the branch it belongs to. */
export interface BranchPart extends ScoredPart {
  readonly branch?: 'face' | undefined
}

/**
 * One logit from the parts of a picture and its faces: the parts are aggregated as ever, the worst face stands for
 * all faces, and the plan says how the two meet. Without faces it is the aggregate.
 * @throws AttestdError detector-failed where there is no part
 */
export function combineBranches(
  parts: readonly BranchPart[],
  aggregation: Aggregation,
  combine: FacePlan['combine'] = 'report',
): number {
  const logitsOf = (branch: BranchPart['branch']) =>
    parts.filter((part) => part.branch === branch).map(({ rawScore }) => rawScore)
  const whole = aggregateLogits(logitsOf(undefined), aggregation)
  const faces = logitsOf('face')
  if (faces.length === 0 || combine === 'report') return whole
  const worst = Math.max(...faces)
  return combine === 'max' ? Math.max(whole, worst) : (whole + worst) / 2
}
