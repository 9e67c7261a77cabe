import type { Evaluation, FigureWithInterval } from '../evaluate/evaluation.js'

/** Stands for what the rows cannot give. */
const NONE = '–'

/** A figure with three decimals. */
export const decimal = (value: number | null | undefined): string =>
  value === null || value === undefined ? NONE : value.toFixed(3)

/** A share as a percentage with one decimal. */
export const percent = (value: number | null | undefined): string =>
  value === null || value === undefined ? NONE : `${(value * 100).toFixed(1)} %`

/** The figures of an evaluation in the order of its tables: where each is, what it is called, how it is shown. */
export const FIGURES = [
  ['auc', 'AUC', decimal],
  ['tprAt5', 'TPR at 5 % FPR', percent],
  ['tprAt1', 'TPR at 1 % FPR', percent],
  ['eer', 'Equal error rate', percent],
  ['averagePrecision', 'Average precision', decimal],
  ['accuracy', 'Right at risk 50', percent],
  ['f1', 'F1 at risk 50', decimal],
  ['mcc', 'Matthews correlation at risk 50', decimal],
  ['realFlagged', 'Real files flagged at 50', percent],
  ['fakeFlagged', 'Fake files flagged at 50', percent],
  ['ece', 'Calibration error', decimal],
  ['brier', 'Brier score', decimal],
  ['logLoss', 'Log loss', decimal],
] as const

/** The interval of a figure, such as `0.812 to 0.871`. */
export function intervalText(
  { interval }: Pick<FigureWithInterval, 'interval'>,
  show: (value: number) => string = decimal,
): string {
  return interval === null ? NONE : `${show(interval.low)} to ${show(interval.high)}`
}

/** What verdicts are worth at even odds, in one line; files without a risk do not count. */
export function verdictsText(verdicts: Evaluation['verdicts']): string {
  const { decided, right, rightWhenFake, rightWhenReal, rightAtLeast } = verdicts
  return (
    `Verdicts on scored files at even odds: ${percent(decided)} decided, ${percent(right)} right (at least ${percent(rightAtLeast)} over sources), ` +
    `${percent(rightWhenFake)} when machine-made, ${percent(rightWhenReal)} when real.`
  )
}
