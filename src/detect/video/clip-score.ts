import { AttestdError } from '../../core/errors.js'
import type { ScoredPart } from '../contract/measurement.js'
import { FRAMES_PER_WINDOW } from './frame-plan.js'
import { type ScoredWindow, scoreWindows, type TimedScore, worstWindows } from './window-score.js'

/** The pictures of a clip as one logit: of the image detector, or of the head. */
export interface ClipScore {
  readonly rawScore: number
  /** The window with the highest score; with a head, all of the clip where no window stands out. */
  readonly worst: ScoredWindow
  /** Windows that do not overlap, named by their times. */
  readonly parts: readonly ScoredPart[]
}

/**
 * The clip is as risky as its worst window, so that a short swapped passage does not drown in a long real clip; a window
 * is as risky as its median frame, so that single bad frames do not flag a real clip.
 * @param frames each by the image detector, in the order of time
 */
export function scoreClip(frames: readonly TimedScore[], windowSeconds: number): ClipScore {
  const windows = worstWindows(scoreWindows(frames, windowSeconds, FRAMES_PER_WINDOW))
  const [worst] = windows
  if (worst === undefined) throw noFrames()
  return { rawScore: worst.rawScore, worst, parts: windows.map(partOf) }
}

/** The refusal of a video of which no frame was decoded. */
export const noFrames = (): AttestdError =>
  new AttestdError('media-corrupt', 'The video contains no frame that can be decoded.')

/** A window as a part of the clip. */
export const partOf = (window: ScoredWindow): ScoredPart => ({ name: windowName(window), rawScore: window.rawScore })

/** Such as `window 12.0-19.5 s`. */
export const windowName = ({ from, to }: Pick<ScoredWindow, 'from' | 'to'>): string =>
  `window ${from.toFixed(1)}-${to.toFixed(1)} s`
