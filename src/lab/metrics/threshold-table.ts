import { asRisk } from '../../core/risk.js'
import { isUnsure } from '../../detect/scoring/calibration.js'
import { type RankedScores, sum } from './ranked-scores.js'
import type { RocPoint } from './roc.js'
import { VERDICT_RISK, verdictsAt } from './verdicts.js'

/** Risks that the table looks at. */
const THRESHOLDS = [0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99]

/** What calling everything from `threshold` up fake gives; NaN where nothing can be stated. */
export interface ThresholdRow extends RocPoint {
  /** Share of the flagged rows that are fake. */
  readonly precision: number
  /** Share of all rows that are called what they are. */
  readonly accuracy: number
  /** Share of the rows that would abstain with a decision band from 1 - threshold to threshold; NaN below 0.5. */
  readonly abstainRate: number
  /** Share of the others that are called what they are; NaN below 0.5. */
  readonly accuracyOutside: number
}

/** The table of `THRESHOLDS`. */
export function thresholdTable(ranked: RankedScores): ThresholdRow[] {
  return THRESHOLDS.map((threshold) => {
    const { flaggedFakes, flaggedReals, missedFakes, passedReals } = verdictsAt(ranked, threshold)
    const right = flaggedFakes + passedReals
    return {
      threshold,
      tpr: flaggedFakes / (flaggedFakes + missedFakes),
      fpr: flaggedReals / (flaggedReals + passedReals),
      precision: flaggedFakes / (flaggedFakes + flaggedReals),
      accuracy: right / (right + flaggedReals + missedFakes),
      ...(threshold < 0.5
        ? { abstainRate: Number.NaN, accuracyOutside: Number.NaN }
        : bandEffect(ranked, { low: opposite(threshold), high: threshold })),
    }
  })
}

/** 1 - threshold, without the last bits that would put a risk of just that on the wrong side. */
const opposite = (threshold: number): number => Number((1 - threshold).toFixed(6))

/** What a decision band costs and gives: the share of rows inside it, and how often those outside are called right at 0.5. */
export function bandEffect(
  ranked: RankedScores,
  band: { readonly low: number; readonly high: number },
): { abstainRate: number; accuracyOutside: number } {
  const isSure = (risk: number) => !isUnsure(asRisk(risk), band)
  const { flaggedFakes, flaggedReals, missedFakes, passedReals } = verdictsAt(ranked, VERDICT_RISK, isSure)
  const right = flaggedFakes + passedReals
  const outside = right + flaggedReals + missedFakes
  const all = sum(ranked.fakes) + sum(ranked.reals)
  return { abstainRate: (all - outside) / all, accuracyOutside: right / outside }
}
