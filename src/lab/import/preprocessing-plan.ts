/** The preprocessing of an export, and what in it is a guess. */
export interface PreprocessingPlan<T> {
  readonly preprocessing: T
  /** Sentences for the card. */
  readonly guesses: readonly string[]
}
