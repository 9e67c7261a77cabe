/** How far a package lies from the original, in logits of fake against all other classes. */
export interface Agreement {
  readonly compared: number
  readonly largest: number
  /** The file with the largest difference. */
  readonly worst: string
  readonly mean: number
  /** Files that the package refuses, each with the reason. */
  readonly refused: readonly string[]
}

/** Sentences for the card and for the terminal. */
export function agreementText({ compared, largest, worst, mean, refused }: Agreement): string[] {
  const difference = `mean difference of the logit ${mean.toFixed(4)}, largest ${largest.toFixed(4)} (${worst})`
  const lines = [`Compared with the original on ${compared} files: ${difference}.`]
  return refused.length === 0 ? lines : [...lines, `Refused, so not compared: ${refused.join(', ')}.`]
}
