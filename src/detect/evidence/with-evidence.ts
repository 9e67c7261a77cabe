import { cleanText } from '../../core/text.js'
import { type Evidence, MAX_TEXT, type Measurement } from '../contract/measurement.js'

/** Characters of evidence that go into the notes. */
const MAX_NOTES = 700
/** Ends the notes of a file whose evidence took too long or too much memory. */
const UNREAD = '; what it states about itself could not be read'

/**
 * A measurement with the evidence that was read after it.
 * @param evidence null where it could not be read within its limits
 * @param processorMs what reading it took
 */
export function measuredWithEvidence(
  measurement: Measurement,
  evidence: Measurement['evidence'] | null,
  processorMs: number,
): Measurement {
  const { elapsedMs, notes } = measurement
  const stages = elapsedMs.stages && { ...elapsedMs.stages, evidence: processorMs }
  return {
    ...measurement,
    notes: evidence === null ? `${cleanText(notes, MAX_TEXT - UNREAD.length)}${UNREAD}` : notes,
    evidence: evidence ?? [],
    elapsedMs: { ...elapsedMs, stages },
  }
}

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
