import type { VideoPreprocessing } from '../package/preprocessing.js'
import type { FeatureHead } from '../runtimes/feature-head.js'
import { type ClipScore, noFrames, partOf } from './clip-score.js'
import { FRAMES_PER_WINDOW } from './frame-plan.js'
import { type ScoredWindow, scoredWindow, type Timed, windowsOf, worstWindows } from './window-score.js'

/** A frame by what the encoder sees in it. */
export interface DescribedFrame extends Timed {
  readonly features: Float32Array
}

/**
 * The clip by a head: the logit of all its frames, or that of a window which exceeds it by more than `windowMargin`, less
 * that margin, so that a short passage does not drown, and chance in one of many windows does not flag a real clip.
 * @param frames in the order of time
 * @throws AttestdError media-corrupt without frames; detector-failed
 */
export async function scoreClipByHead(
  frames: readonly DescribedFrame[],
  head: FeatureHead,
  { windowSeconds, windowMargin }: Pick<VideoPreprocessing, 'windowSeconds' | 'windowMargin'>,
): Promise<ClipScore> {
  if (frames.length === 0) throw noFrames()
  const score = async (inside: readonly DescribedFrame[]) =>
    scoredWindow(inside, await head(inside.map(({ features }) => features)))
  const clip = await score(frames)
  const scored: ScoredWindow[] = []
  for (const inside of windowsOf(frames, windowSeconds, FRAMES_PER_WINDOW)) scored.push(await score(inside))
  const windows = worstWindows(scored)
  const raised = windows.map((window) => ({ ...window, rawScore: window.rawScore - windowMargin }))
  const worst = [clip, ...raised].reduce((a, b) => (b.rawScore > a.rawScore ? b : a))
  return { rawScore: worst.rawScore, worst, parts: windows.map(partOf) }
}
