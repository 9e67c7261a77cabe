import { cleanLine } from '../../core/text.js'
import type { Evidence } from '../contract/measurement.js'

/** Longest quotation of the file's own words, characters. */
const MAX_QUOTE = 160
/** Longest line, as `measurementSchema` allows. */
const MAX_SAYS = 300

/** The file's own words as a quotation that cannot end early: one clean line, double quotes made single. */
export function quote(text: string, max = MAX_QUOTE): string {
  return `"${cleanLine(text, max).replaceAll('"', "'")}"`
}

/** One line of evidence. */
export function say(kind: Evidence['kind'], says: string): Evidence {
  return { kind, says: cleanLine(says, MAX_SAYS) }
}

/** Whether text holds anything a person could read. */
export function isSaying(text: unknown): text is string {
  return typeof text === 'string' && cleanLine(text) !== ''
}
