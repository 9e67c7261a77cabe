import { sigmoid } from '../../detect/scoring/calibration.js'
import { type CalibrationRow, plattTargets } from './calibration-row.js'

/** Temperatures that are tried, as powers of e. */
const RANGE = { from: -20, to: 20 } as const
const BISECTIONS = 60

/**
 * The temperature of the lowest weighted log loss, by bisection: the loss is convex in its inverse. Infinity where the logits of
 * fakes do not lie above those of reals.
 */
export function fitTemperature(rows: readonly CalibrationRow[]): number {
  const targets = plattTargets(rows)
  /** Derivative of the loss by the inverse temperature. */
  const slopeAt = (inverse: number) =>
    rows.reduce((total, { logit, fake, weight }) => {
      return total + weight * logit * (sigmoid(logit * inverse) - (fake ? targets.fake : targets.real))
    }, 0)
  if (slopeAt(Math.exp(-RANGE.to)) >= 0) return Number.POSITIVE_INFINITY
  let { from, to }: { from: number; to: number } = RANGE
  for (let halving = 0; halving < BISECTIONS; halving++) {
    const middle = (from + to) / 2
    // A colder detector is a larger inverse: where the loss still falls with it, the temperature must fall.
    if (slopeAt(Math.exp(-middle)) < 0) to = middle
    else from = middle
  }
  return Math.exp((from + to) / 2)
}
