import { cleanLine } from '../../core/text.js'
import type { Evidence } from '../contract/measurement.js'

/** Longest quotation from the file, characters. */
const MAX_QUOTE = 160
/** Longest line, as `measurementSchema` allows. */
const MAX_LINE = 300

/** Text from the file as a quotation that cannot end early: one clean line, double quotes made single. */
export const quote = (text: string, max = MAX_QUOTE): string => `"${cleanLine(text, max).replaceAll('"', "'")}"`

/** One line of evidence. */
export function evidenceOf(kind: Evidence['kind'], line: string): Evidence {
  return { kind, text: cleanLine(line, MAX_LINE) }
}

/** Whether text holds anything a person could read. */
export const isReadable = (text: unknown): text is string => typeof text === 'string' && cleanLine(text) !== ''
