import { cleanText } from '../../core/text.js'
import { type Evidence, MAX_TEXT } from '../contract/measurement.js'

/** Characters of evidence that go into the notes. */
const MAX_NOTES = 700

/** A line of notes with what the file states about itself added, as far as it fits. */
export function withEvidence(notes: string, evidence: readonly Evidence[]): string {
  const shown: string[] = []
  let length = 0
  for (const { says } of evidence) {
    length += says.length
    if (length > MAX_NOTES) break
    shown.push(says)
  }
  if (shown.length === 0) return notes
  const more = evidence.length - shown.length
  const states = `; states: ${shown.join('; ')}${more > 0 ? `; and ${more} more` : ''}`
  return `${cleanText(notes, MAX_TEXT - states.length)}${states}`
}
