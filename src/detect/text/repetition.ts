import { AttestdError } from '../../core/errors.js'

/** Length of the runs of characters that are compared: about a word and its neighbors. */
const RUN = 8

/** Refuses a text without a letter or a number. @param prose normalized @throws AttestdError media-featureless */
export function refuseMarksAlone(prose: string): void {
  if (prose !== '' && !/[\p{L}\p{N}]/u.test(prose))
    throw new AttestdError('media-featureless', 'The text contains nothing to judge: it has no letters.')
}

/**
 * Refuses a text in which there is nothing to judge: one character, word or sentence over and over, whatever its length.
 * @param prose normalized
 * @param least characters that the detector needs
 * @throws AttestdError media-featureless
 */
export function refuseRepetition(prose: string, least: number): void {
  // A text of the least length, or twice that, may state a thing again.
  const needed = Math.min(least, Math.floor(prose.length / 2))
  const characters = newCharacters(prose, needed)
  if (characters >= needed) return
  throw new AttestdError(
    'media-featureless',
    `The text contains nothing to judge: without its repetitions it has ${characters} characters.`,
  )
}

/** Characters that do not end a run which stood in the text before, counted up to `enough`. */
export function newCharacters(prose: string, enough = Number.POSITIVE_INFINITY): number {
  const text = prose.toLowerCase()
  const seen = new Set<string>()
  const head = Math.min(text.length, RUN - 1)
  for (let at = 0; at + RUN <= text.length && head + seen.size < enough; at++) seen.add(text.slice(at, at + RUN))
  return head + seen.size
}
