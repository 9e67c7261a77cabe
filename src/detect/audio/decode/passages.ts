import type { Passage } from './sound.js'

/** Most sound of one file that is decoded, seconds. A longer one is heard in passages. */
export const MAX_SECONDS = 48
/** Passages of a longer one, evenly from its beginning to its end. */
const PASSAGES = 4

/**
 * Which passages of a recording are decoded: all of a short one in one; of a long one the beginning, the end and the middles
 * of what lies between, so that what it costs does not grow with its length.
 * @param seconds length of the recording; null where it is not known: then its beginning
 */
export function planPassages(seconds: number | null): Passage[] {
  if (seconds === null || !(seconds > MAX_SECONDS && Number.isFinite(seconds)))
    return [{ startSeconds: 0, seconds: MAX_SECONDS }]
  const each = MAX_SECONDS / PASSAGES
  return Array.from({ length: PASSAGES }, (_, index) => ({
    startSeconds: (index * (seconds - each)) / (PASSAGES - 1),
    seconds: each,
  }))
}

/** A passage and its bytes; `to` is not one of them. */
export interface BytePassage extends Passage {
  readonly from: number
  readonly to: number
}

/**
 * The same for a file that is entered at any byte: by the share of the time, so that dense parts are met more often.
 * @param from where the sound begins @param to where the file ends
 */
export function planBytePassages(seconds: number | null, from: number, to: number): BytePassage[] {
  const passages = planPassages(seconds)
  const byteOf = ({ startSeconds }: Passage) =>
    startSeconds === 0 ? from : from + Math.floor(((to - from) * startSeconds) / (seconds ?? 1))
  return passages.map((passage, index) => {
    const next = passages[index + 1]
    return { ...passage, from: byteOf(passage), to: next === undefined ? to : byteOf(next) }
  })
}
