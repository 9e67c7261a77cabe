/** Two detectors on the same rows, by who alone is right. */
export interface McNemar {
  readonly onlyFirstRight: number
  readonly onlySecondRight: number
  /** Chance of a split at least so uneven if both were equally often right, two-sided. */
  readonly pValue: number
}

/** McNemar's exact test (1947) on the rows that only one of two detectors calls right. */
export function mcNemar(onlyFirstRight: number, onlySecondRight: number): McNemar {
  const disagreements = onlyFirstRight + onlySecondRight
  const fewer = Math.min(onlyFirstRight, onlySecondRight)
  return { onlyFirstRight, onlySecondRight, pValue: exact(fewer, disagreements) }
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
