import { sigmoid } from '../../detect/scoring/calibration.js'
import { type CalibrationRow, plattTargets } from './calibration-row.js'

const MAX_STEPS = 100
/** A step that moves neither parameter by more than this ends the fit. */
const SMALL_STEP = 1e-9
/** Keeps the second derivatives invertible where all logits are alike. */
const RIDGE = 1e-9
/** Halvings of a step that would make the fit worse. */
const MAX_HALVINGS = 30

/** sigmoid(slope * logit + intercept) */
export interface Line {
  readonly slope: number
  readonly intercept: number
}

/** The line of the lowest weighted log loss, by Newton's method. */
export function fitPlatt(rows: readonly CalibrationRow[]): Line {
  const targets = plattTargets(rows)
  const targetOf = ({ fake }: CalibrationRow) => (fake ? targets.fake : targets.real)
  const lossOf = (line: Line) => loss(rows, line, targetOf)
  // Where every risk is 0.5 the loss is curved by logits of any size; a start from steeper lines is stuck where they are large.
  let line: Line = { slope: 0, intercept: 0 }
  for (let step = 0; step < MAX_STEPS; step++) {
    const next = halvedUntilBetter(line, newtonStep(rows, line, targetOf), lossOf)
    const moved = Math.max(Math.abs(next.slope - line.slope), Math.abs(next.intercept - line.intercept))
    line = next
    if (moved < SMALL_STEP) break
  }
  return line
}

function newtonStep(rows: readonly CalibrationRow[], { slope, intercept }: Line, targetOf: TargetOf): Line {
  let [gradientSlope, gradientIntercept] = [0, 0]
  let [slopeSlope, slopeIntercept, interceptIntercept] = [RIDGE, 0, RIDGE]
  for (const row of rows) {
    const risk = sigmoid(slope * row.logit + intercept)
    const error = row.weight * (risk - targetOf(row))
    const curve = row.weight * risk * (1 - risk)
    gradientSlope += error * row.logit
    gradientIntercept += error
    slopeSlope += curve * row.logit ** 2
    slopeIntercept += curve * row.logit
    interceptIntercept += curve
  }
  const determinant = slopeSlope * interceptIntercept - slopeIntercept ** 2
  return {
    slope: (interceptIntercept * gradientSlope - slopeIntercept * gradientIntercept) / determinant,
    intercept: (slopeSlope * gradientIntercept - slopeIntercept * gradientSlope) / determinant,
  }
}

function halvedUntilBetter(line: Line, step: Line, lossOf: (line: Line) => number): Line {
  const before = lossOf(line)
  for (let halving = 0, share = 1; halving < MAX_HALVINGS; halving++, share /= 2) {
    const next = { slope: line.slope - share * step.slope, intercept: line.intercept - share * step.intercept }
    if (lossOf(next) <= before) return next
  }
  return line
}

type TargetOf = (row: CalibrationRow) => number

/** Weighted cross-entropy, from logits so that it stays finite. */
function loss(rows: readonly CalibrationRow[], { slope, intercept }: Line, targetOf: TargetOf): number {
  return rows.reduce((total, row) => {
    const logit = slope * row.logit + intercept
    return total + row.weight * (softplus(logit) - targetOf(row) * logit)
  }, 0)
}

/** ln(1 + e^x) */
const softplus = (x: number): number => Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x)))
