import { AttestdError } from '../../core/errors.js'
import type { Picture } from '../contract/picture.js'
import type { Frame } from './frame.js'
import type { Timed } from './window-score.js'

/**
 * Looks at frames one after the other, so that only one and the one before are held. Frames without content, such as black
 * ones, are left out. A frame whose pixels are those of the one before, as in recordings of slides, is not looked at again.
 * @param look what is made of a frame: its scores, or its features
 * @param during wraps the work on each frame
 * @returns in the order of time
 * @throws AttestdError media-featureless where all are such; media-*, detector-failed
 */
export async function seeFrames<Seen extends object>(
  frames: AsyncIterable<Frame>,
  look: (picture: Picture) => Promise<Seen>,
  during: <T>(work: () => Promise<T>) => Promise<T>,
): Promise<(Seen & Timed)[]> {
  const seen: (Seen & Timed)[] = []
  let before: { readonly picture: Picture; readonly found: Seen } | null = null
  let blank: AttestdError | null = null
  for await (const frame of frames) {
    try {
      const found: Seen =
        before !== null && isSame(before.picture, frame) ? before.found : await during(() => look(frame))
      before = { picture: frame, found }
      seen.push({ ...found, seconds: frame.seconds })
    } catch (error) {
      if (!(error instanceof AttestdError) || error.reason !== 'media-featureless') throw error
      blank = error
    }
  }
  if (seen.length === 0 && blank !== null) throw blank
  return seen.sort((a, b) => a.seconds - b.seconds)
}

const isSame = (a: Picture, b: Picture): boolean =>
  a.width === b.width && a.height === b.height && a.pixels.equals(b.pixels)
