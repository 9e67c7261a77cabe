import { AttestdError } from '../core/errors.js'
import { logitOf } from './calibration.js'
import type { Aggregation, OutputKind } from './manifest.js'

/**
 * One model output as a logit.
 * @throws AttestdError detector-failed where the output is not a finite number, or a probability outside [0, 1]
 */
export function outputAsLogit(value: number, kind: OutputKind): number {
  if (!Number.isFinite(value)) throw new AttestdError('detector-failed', `The model gave ${value}, not a number.`)
  if (kind === 'logit') return value
  if (value < 0 || value > 1) {
    throw new AttestdError('detector-failed', `The model gave ${value}, not a probability between 0 and 1.`)
  }
  return logitOf(value)
}

/** One logit for the whole file from the logits of its parts (crops, windows), in their order. */
export function aggregateLogits(logits: readonly number[], how: Aggregation): number {
  if (logits.length === 0) throw new AttestdError('detector-failed', 'There is no part of the file to score.')
  if (how === 'max') return Math.max(...logits)
  return logits.reduce((sum, logit) => sum + logit, 0) / logits.length
}
