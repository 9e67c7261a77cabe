import { AttestdError } from '../../core/errors.js'
import type { DetectorPackage } from '../package/package-loader.js'
import type { VideoPreprocessing } from '../package/preprocessing.js'
import { loadFeatureHead } from '../runtimes/feature-head.js'
import { type ClipScore, windowName } from './clip-score.js'
import { FRAMES_PER_WINDOW } from './frame-plan.js'
import { type ScoredWindow, scoredWindow, type Timed, windowsOf, worstWindows } from './window-score.js'

/** A frame by what the encoder sees in it. */
export interface DescribedFrame extends Timed {
  readonly features: Float32Array
}

/** The logit of some frames, at least one, in the order of time. @throws AttestdError detector-failed */
export type VideoHead = (frames: readonly DescribedFrame[]) => Promise<number>

/** Loads the head of a video package. @throws AttestdError model-digest-mismatch, manifest-invalid */
export async function loadVideoHead(pack: DetectorPackage, file: string): Promise<VideoHead> {
  const head = await loadFeatureHead(pack, file)
  return (frames) => head(frames.map(({ features }) => features))
}

/**
 * The clip by a head: the logit of all its frames, or that of a window which exceeds it by more than `windowMargin`, less
 * that margin, so that a short passage does not drown, and chance in one of many windows does not flag a real clip.
 * @param frames in the order of time
 * @throws AttestdError media-corrupt without frames; detector-failed
 */
export async function scoreClipByHead(
  frames: readonly DescribedFrame[],
  head: VideoHead,
  { windowSeconds, windowMargin }: Pick<VideoPreprocessing, 'windowSeconds' | 'windowMargin'>,
): Promise<ClipScore> {
  if (frames.length === 0) throw new AttestdError('media-corrupt', 'The video contains no frame that can be decoded.')
  const clip = scoredWindow(frames, await head(frames))
  const scored: ScoredWindow[] = []
  for (const inside of windowsOf(frames, windowSeconds, FRAMES_PER_WINDOW)) {
    scored.push(scoredWindow(inside, await head(inside)))
  }
  const windows = worstWindows(scored)
  const raised = windows.map((window) => ({ ...window, rawScore: window.rawScore - windowMargin }))
  const worst = [clip, ...raised].reduce((a, b) => (b.rawScore > a.rawScore ? b : a))
  const parts = windows.map((window) => ({ name: windowName(window), rawScore: window.rawScore }))
  return { rawScore: worst.rawScore, worst, parts, tracks: 0 }
}
