import { AttestdError } from '../../core/errors.js'
import type { Picture } from '../contract/picture.js'
import type { Frame } from './frame.js'
import type { Timed } from './window-score.js'

/**
 * Looks at frames one after the other, so that only one is held at a time. Frames without content, such as black ones, are
 * left out.
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
  let blank: AttestdError | null = null
  for await (const frame of frames) {
    try {
      seen.push({ ...(await during(() => look(frame))), seconds: frame.seconds })
    } catch (error) {
      if (!(error instanceof AttestdError) || error.reason !== 'media-featureless') throw error
      blank = error
    }
  }
  if (seen.length === 0 && blank !== null) throw blank
  return seen.sort((a, b) => a.seconds - b.seconds)
}
