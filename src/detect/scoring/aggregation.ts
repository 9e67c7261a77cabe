import { AttestdError } from '../../core/errors.js'
import type { Aggregation, DetectorManifest } from '../package/manifest.js'
import { logitOf } from './calibration.js'

/** Share of the parts that `top-mean` looks at. */
const TOP_SHARE = 0.25

/**
 * What a model returned for one part, as one logit: for classes, that of the fake ones together against all others.
 * @throws AttestdError detector-failed where it is not of the stated kind, not finite, or a probability outside [0, 1]
 */
export function outputAsLogit(
  values: readonly number[] | Float32Array,
  { outputKind, fakeClasses }: Pick<DetectorManifest, 'outputKind' | 'fakeClasses'>,
): number {
  for (const value of values) {
    if (!Number.isFinite(value)) throw new AttestdError('detector-failed', `The model returned ${value}, not a number.`)
  }
  if (outputKind === 'class-logits') return classLogit([...values], fakeClasses ?? [])
  const [value] = values
  if (value === undefined || values.length !== 1) {
    throw new AttestdError('detector-failed', `The model returned ${values.length} numbers, not one.`)
  }
  if (outputKind === 'logit') return value
  if (value < 0 || value > 1) {
    throw new AttestdError('detector-failed', `The model returned ${value}, not a probability between 0 and 1.`)
  }
  return logitOf(value)
}

/**
 * `outputAsLogit` for all outputs of one model, which have as many numbers as the manifest states, or as the first one: a model
 * server that was given another model gives other classes.
 * @throws AttestdError detector-failed
 */
export function steadyLogit(
  manifest: Pick<DetectorManifest, 'outputKind' | 'fakeClasses' | 'classes'>,
): (values: readonly number[] | Float32Array) => number {
  let width = outputWidth(manifest)
  return (values) => {
    const logit = outputAsLogit(values, manifest)
    width ??= values.length
    if (values.length === width) return logit
    throw new AttestdError(
      'detector-failed',
      `The model returned ${values.length} classes, not ${width}: it is not the model that the package was made for.`,
    )
  }
}

/** How many numbers a model gives for a part; null where the manifest does not state it. */
export const outputWidth = ({
  outputKind,
  classes,
}: Pick<DetectorManifest, 'outputKind' | 'classes'>): number | null =>
  outputKind === 'class-logits' ? (classes ?? null) : 1

function classLogit(logits: readonly number[], fakeClasses: readonly number[]): number {
  const fake = logits.filter((_, index) => fakeClasses.includes(index))
  const others = logits.filter((_, index) => !fakeClasses.includes(index))
  if (fake.length !== fakeClasses.length || others.length === 0) {
    throw new AttestdError(
      'detector-failed',
      `The model returned ${logits.length} classes, which does not match the manifest.`,
    )
  }
  return logSumExp(fake) - logSumExp(others)
}

function logSumExp(values: readonly number[]): number {
  const highest = Math.max(...values)
  return highest + Math.log(values.reduce((sum, value) => sum + Math.exp(value - highest), 0))
}

/** One logit for the whole file from the logits of its parts (crops, windows, frames), in their order. */
export function aggregateLogits(logits: readonly number[], how: Aggregation): number {
  if (logits.length === 0) throw new AttestdError('detector-failed', 'There is no part of the file to score.')
  if (how === 'max') return Math.max(...logits)
  if (how === 'mean') return mean(logits)
  return mean(logits.toSorted((a, b) => b - a).slice(0, Math.ceil(logits.length * TOP_SHARE)))
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length
