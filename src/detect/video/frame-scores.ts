import { AttestdError } from '../../core/errors.js'
import type { PictureScorer, ScoredFace } from '../contract/picture-scorer.js'
import type { Frame } from './frame.js'
import type { TimedScore } from './window-score.js'

/** One frame by the image detector: the logit of the picture as if it had no faces, and with each of its faces. */
export interface ScoredFrame extends TimedScore {
  readonly faces: readonly ScoredFace[]
}

/**
 * Scores frames as the image detector scores pictures, one after the other, so that only one is held at a time. Those in
 * which there is nothing to judge, such as black ones, are left out.
 * @param during wraps the work on each frame
 * @returns in the order of time
 * @throws AttestdError media-featureless where all are such; media-*, detector-failed
 */
export async function scoreFrames(
  frames: AsyncIterable<Frame>,
  score: PictureScorer,
  during: <T>(work: () => Promise<T>) => Promise<T>,
): Promise<ScoredFrame[]> {
  const scored: ScoredFrame[] = []
  let blank: AttestdError | null = null
  for await (const frame of frames) {
    try {
      scored.push({ seconds: frame.seconds, ...(await during(() => score(frame))) })
    } catch (error) {
      if (!(error instanceof AttestdError) || error.reason !== 'media-featureless') throw error
      blank = error
    }
  }
  if (scored.length === 0 && blank !== null) throw blank
  return scored.sort((a, b) => a.seconds - b.seconds)
}
