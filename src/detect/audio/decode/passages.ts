import { spotPlaces } from '../../contract/spot-places.js'
import type { Passage } from './sound.js'

/** Most sound of one file that is decoded, seconds. A longer one is heard in passages. */
export const MAX_SECONDS = 48
/** Length of a passage of a longer one, seconds: of its beginning, its end, and one in each half of what lies between. */
const EACH = MAX_SECONDS / 4

/**
 * Which passages of a recording are decoded: all of a short one in one; of a long one four, so that what it costs does not grow
 * with its length. The digest of the file selects those between beginning and end: nobody can place speech there on purpose.
 * @param seconds length of the recording; null where it is not known: then its beginning
 */
export async function planPassages(file: string, seconds: number | null): Promise<Passage[]> {
  if (seconds === null || !(seconds > MAX_SECONDS && Number.isFinite(seconds)))
    return [{ startSeconds: 0, seconds: MAX_SECONDS }]
  const half = (seconds - 2 * EACH) / 2
  const [first, second] = (await spotPlaces(file, 2)) as [number, number]
  const starts = [0, EACH + first * (half - EACH), EACH + half + second * (half - EACH), seconds - EACH]
  return starts.map((startSeconds) => ({ startSeconds, seconds: EACH }))
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
export async function planBytePassages(
  file: string,
  seconds: number | null,
  from: number,
  to: number,
): Promise<BytePassage[]> {
  const passages = await planPassages(file, seconds)
  const byteOf = ({ startSeconds }: Passage) =>
    startSeconds === 0 ? from : from + Math.floor(((to - from) * startSeconds) / (seconds ?? 1))
  return passages.map((passage, index) => {
    const next = passages[index + 1]
    return { ...passage, from: byteOf(passage), to: next === undefined ? to : byteOf(next) }
  })
}
