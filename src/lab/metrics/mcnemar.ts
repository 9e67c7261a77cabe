/** Up to this many disagreements the exact test is used, beyond it the chi-squared one with Edwards' correction. */
const EXACT_UP_TO = 1000

/** Two detectors on the same rows, by who alone is right. */
export interface McNemar {
  readonly onlyFirstRight: number
  readonly onlySecondRight: number
  /** Chance of a split at least so uneven if both were equally often right, two-sided. */
  readonly pValue: number
}

/** McNemar's test (1947) on the rows that only one of two detectors calls right. */
export function mcNemar(onlyFirstRight: number, onlySecondRight: number): McNemar {
  const disagreements = onlyFirstRight + onlySecondRight
  const fewer = Math.min(onlyFirstRight, onlySecondRight)
  const pValue = disagreements <= EXACT_UP_TO ? exact(fewer, disagreements) : corrected(fewer, disagreements)
  return { onlyFirstRight, onlySecondRight, pValue }
}

/** Twice the lower tail of a binomial with even odds. */
function exact(fewer: number, tries: number): number {
  let logTerm = -tries * Math.LN2
  let tail = Math.exp(logTerm)
  for (let hits = 1; hits <= fewer; hits++) {
    logTerm += Math.log((tries - hits + 1) / hits)
    tail += Math.exp(logTerm)
  }
  return Math.min(1, 2 * tail)
}

function corrected(fewer: number, tries: number): number {
  const distance = Math.max(0, tries - 2 * fewer - 1)
  return complementaryErrorFunction(distance / Math.sqrt(2 * tries))
}

/** Numerical Recipes' erfc, good to 1.2e-7. */
function complementaryErrorFunction(x: number): number {
  const t = 1 / (1 + x / 2)
  const series = [
    -1.26551223, 1.00002368, 0.37409196, 0.09678418, -0.18628806, 0.27886807, -1.13520398, 1.48851587, -0.82215223,
    0.17087277,
  ]
  return t * Math.exp(-x * x + series.reduceRight((total, factor) => total * t + factor, 0))
}
