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

/** Moves a risk of 50 % to 62 %: more is no rounding, so the package must prepare media in another way. */
const MOST_DIFFERENCE = 0.5

/** Whether the package computes what the original does, for every file: one that it refuses shows nothing. */
export const agrees = ({ largest, refused }: Agreement): boolean => largest <= MOST_DIFFERENCE && refused.length === 0

/** Sentences for the card and for the terminal. */
export function agreementText(agreement: Agreement): string[] {
  const { compared, largest, worst, mean, refused } = agreement
  const difference = `mean difference of the logit ${mean.toFixed(4)}, largest ${largest.toFixed(4)} (${worst})`
  return [
    `Compared with the original on ${compared} files: ${difference}.`,
    ...(largest > MOST_DIFFERENCE
      ? [`More than ${MOST_DIFFERENCE}: the package does not compute what the original does.`]
      : []),
    ...(refused.length === 0 ? [] : [`Refused, so not compared: ${refused.join(', ')}.`]),
  ]
}
