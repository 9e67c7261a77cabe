import { AttestdError } from '../../core/errors.js'
import { manifestRefused } from '../package/manifest-refused.js'

/**
 * Checks what a model states of its output before it is run.
 * @param shape sizes of the output; one that is free is a name, 0 or negative
 * @param width how many numbers the package expects for a part; null where it does not state it
 * @param id of the package
 * @throws AttestdError manifest-invalid
 */
export function requireWidth(shape: readonly (number | string)[] | undefined, width: number | null, id: string): void {
  const given = shape?.at(-1)
  if (width === null || typeof given !== 'number' || given <= 0 || given === width) return
  throw manifestRefused(
    id,
    width === 1 ? 'outputKind' : 'classes',
    `expects an output of width ${width}, the model returns ${given}`,
  )
}

/** @param given inputs that were made of the media @throws AttestdError detector-failed where a model takes more or fewer */
export function requireInputs(names: readonly string[], given: readonly unknown[]): void {
  if (names.length === given.length) return
  const words = `The model takes ${names.length} inputs, the media provides ${given.length}.`
  throw new AttestdError('detector-failed', words)
}
