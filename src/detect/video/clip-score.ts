import { AttestdError } from '../../core/errors.js'
import type { ScoredPart } from '../child/measurement.js'
import type { FacePlan } from '../package/preprocessing.js'
import { type FaceTrack, trackFaces } from './face-tracks.js'
import { FRAMES_PER_WINDOW } from './frame-plan.js'
import type { ScoredFace, ScoredFrame } from './frame-scores.js'
import { type ScoredWindow, scoreWindows, worstWindows } from './window-score.js'

/** A face that is seen in fewer frames is not scored by itself. */
const LEAST_SIGHTINGS = FRAMES_PER_WINDOW

/** The pictures of a clip as one logit of the image detector. */
export interface ClipScore {
  readonly rawScore: number
  /** The window that gave the score, or the track that did. */
  readonly worst: ScoredWindow
  /** Windows that do not overlap and faces that were followed, named by their times. */
  readonly parts: readonly ScoredPart[]
  /** Number of faces that were followed. */
  readonly tracks: number
}

/**
 * The clip is as risky as its worst window, so that a short swapped passage does not drown in a long real clip; a window
 * is as risky as its median frame, so that single bad frames do not flag a real clip. A face that is followed through
 * several frames is treated the same, by the windows of its track, and meets the pictures as the image package says.
 * @param frames in the order of time
 */
export function scoreClip(
  frames: readonly ScoredFrame[],
  windowSeconds: number,
  combine: FacePlan['combine'] = 'report',
): ClipScore {
  const windows = worstWindows(scoreWindows(frames, windowSeconds, FRAMES_PER_WINDOW))
  const worst = windows[0]
  if (worst === undefined) throw new AttestdError('media-corrupt', 'The video holds no frame that can be decoded.')
  const tracks = trackFaces(frames, windowSeconds)
    .filter((track) => track.length >= LEAST_SIGHTINGS)
    .map((track) => worstOfTrack(track, windowSeconds))
    .sort((a, b) => b.rawScore - a.rawScore || a.from - b.from)
  const parts = [
    ...windows.map((window) => ({ name: windowName(window), rawScore: window.rawScore })),
    ...tracks.map((window, index) => ({
      name: `face ${index + 1} in ${windowName(window)}`,
      rawScore: window.rawScore,
    })),
  ]
  const face = tracks[0]
  if (face === undefined || combine === 'report' || (combine === 'max' && face.rawScore <= worst.rawScore)) {
    return { rawScore: worst.rawScore, worst, parts, tracks: tracks.length }
  }
  const rawScore = combine === 'max' ? face.rawScore : (worst.rawScore + face.rawScore) / 2
  return { rawScore, worst: face.rawScore > worst.rawScore ? face : worst, parts, tracks: tracks.length }
}

function worstOfTrack(track: FaceTrack<ScoredFace>, windowSeconds: number): ScoredWindow {
  const scores = track.map(({ seconds, face }) => ({ seconds, rawScore: face.rawScore }))
  return worstWindows(scoreWindows(scores, windowSeconds, FRAMES_PER_WINDOW))[0] as ScoredWindow
}

/** Such as `window 12.0-19.5 s`. */
export function windowName({ from, to }: Pick<ScoredWindow, 'from' | 'to'>): string {
  return `window ${from.toFixed(1)}-${to.toFixed(1)} s`
}
