import { AttestdError } from '../../core/errors.js'
import type { ScoredPart } from '../contract/measurement.js'
import type { ScoredFace } from '../contract/picture-scorer.js'
import { type FaceTrack, trackFaces } from './face-tracks.js'
import { FRAMES_PER_WINDOW } from './frame-plan.js'
import { type ScoredWindow, scoreWindows, type TimedScore, worstWindows } from './window-score.js'

/** One frame by the image detector: the logit of the picture as if it had no faces, and with each of its faces. */
export interface ScoredFrame extends TimedScore {
  readonly faces: readonly ScoredFace[]
}

/** A face that is seen in fewer frames is not scored by itself. */
const LEAST_SIGHTINGS = FRAMES_PER_WINDOW

/** The pictures of a clip as one logit: of the image detector, or of the head. */
export interface ClipScore {
  readonly rawScore: number
  /** The window or the track with the highest score; with a head, all of the clip where no window stands out. */
  readonly worst: ScoredWindow
  /** Windows that do not overlap and faces that were followed, named by their times. */
  readonly parts: readonly ScoredPart[]
  readonly tracks: number
}

/**
 * The clip is as risky as its worst window, so that a short swapped passage does not drown in a long real clip; a window
 * is as risky as its median frame, so that single bad frames do not flag a real clip. A frame counts with the worst of
 * its faces that are followed through several frames, as a picture with faces does. Each face that is followed also has
 * windows of its own, over the frames in which it is seen, since another face may be next to it.
 * @param frames in the order of time
 */
export function scoreClip(frames: readonly ScoredFrame[], windowSeconds: number): ClipScore {
  const followed = trackFaces(frames, windowSeconds).filter((track) => track.length >= LEAST_SIGHTINGS)
  const windows = worstWindows(scoreWindows(withFaces(frames, followed), windowSeconds, FRAMES_PER_WINDOW))
  const tracks = followed
    .map((track) => worstOfTrack(track, windowSeconds))
    .sort((a, b) => b.rawScore - a.rawScore || a.from - b.from)
  const [worst, face] = [windows[0], tracks[0]]
  if (worst === undefined) throw new AttestdError('media-corrupt', 'The video contains no frame that can be decoded.')
  const decides = face !== undefined && face.rawScore > worst.rawScore ? face : worst
  const parts = [
    ...windows.map((window) => ({ name: windowName(window), rawScore: window.rawScore })),
    ...tracks.map((window, index) => ({
      name: `face ${index + 1} in ${windowName(window)}`,
      rawScore: window.rawScore,
    })),
  ]
  return { rawScore: decides.rawScore, worst: decides, parts, tracks: tracks.length }
}

/** Each frame's logit with the worst of its followed faces; without one, as if it had no faces. */
function withFaces(frames: readonly ScoredFrame[], followed: readonly FaceTrack<ScoredFace>[]): TimedScore[] {
  const counting = new Set(followed.flatMap((track) => track.map(({ face }) => face)))
  return frames.map(({ seconds, rawScore, faces }) => {
    const logits = faces.filter((face) => counting.has(face)).map((face) => face.rawScore)
    return { seconds, rawScore: logits.length === 0 ? rawScore : Math.max(...logits) }
  })
}

function worstOfTrack(track: FaceTrack<ScoredFace>, windowSeconds: number): ScoredWindow {
  const scores = track.map(({ seconds, face }) => ({ seconds, rawScore: face.rawScore }))
  return worstWindows(scoreWindows(scores, windowSeconds, FRAMES_PER_WINDOW))[0] as ScoredWindow
}

/** Such as `window 12.0-19.5 s`. */
export const windowName = ({ from, to }: Pick<ScoredWindow, 'from' | 'to'>): string =>
  `window ${from.toFixed(1)}-${to.toFixed(1)} s`
