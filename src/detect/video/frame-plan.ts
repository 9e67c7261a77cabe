import type { VideoFacts } from './video-probe.js'

/** What a plan is made from; a container that cannot be probed has 0 seconds and no keyframes. */
export type PlanFacts = Pick<
  VideoFacts,
  'seconds' | 'width' | 'height' | 'framesPerSecond' | 'bitsPerSecond' | 'keyframes' | 'listedAll'
>

/** One stretch of a video that is decoded in one go. */
export interface Segment {
  /** Seconds from the start of the video. */
  readonly start: number
  /** Infinite for all the rest. */
  readonly seconds: number
  readonly keyframesOnly: boolean
  /** Least time between two frames that are kept, seconds. */
  readonly step: number
  readonly maxFrames: number
  /** What a player shows from `start` on, at an even rate: a picture that stands there for long began before. */
  readonly isAsShown?: true
}

/**
 * Processor time that decoding one video is planned to take, seconds, on one thread of the machine on which the costs
 * below were measured (`npm run bench:video`); the rest of the stated 3 s is for what the estimate misses.
 */
const BUDGET_SECONDS = 2.4
/** Cost of decoding by pixels and by bits: 1080p30 H.264 took 0.06 s a second at 0.7 Mbit/s and 0.26 s at 12.7 Mbit/s. */
const SECONDS_PER_MEGAPIXEL = 0.0009
const SECONDS_PER_MEGABIT = 0.016
/** A keyframe holds several times the bits of other frames. */
const KEYFRAME_BITS = 8
/** Start of one ffmpeg, its libraries included. */
const SECONDS_PER_SEGMENT = 0.09
/** Scaling and copying of one frame that is kept: by its pixels, since all of them are read, and this at least. */
const SECONDS_PER_KEPT_MEGAPIXEL = 0.005
const SECONDS_PER_KEPT_FRAME = 0.015
/** Frames that a window needs before a single bad one cannot drive its score. */
export const FRAMES_PER_WINDOW = 3
/** Keyframes further apart than this leave passages unseen, seconds. */
const WELL_SPREAD_SECONDS = 4
/** Where only some stretches are decoded: time between two frames of one, so that they differ. */
const STRETCH_STEP_SECONDS = 0.4
/** They lie as close as in a pass where a second of video takes longer than this to decode, seconds. */
const HEAVY_SECONDS = 0.4
/** Least time between two kept frames of a pass; closer ones show the same. */
const LEAST_STEP_SECONDS = 0.2

/**
 * Which stretches of a video are decoded, within a budget of processor time. Keyframes are cheapest: all of them in one
 * pass where they lie close enough; else all frames in one pass where the video is short or small; else stretches that
 * start at keyframes, spread evenly, each its own window. The same facts give the same plan.
 */
export function planFrames(facts: PlanFacts, maxFrames: number): Segment[] {
  const whole = { start: 0, seconds: Number.POSITIVE_INFINITY, maxFrames }
  const step = Math.max(LEAST_STEP_SECONDS, facts.seconds / maxFrames)
  if (facts.seconds === 0) return [{ ...whole, keyframesOnly: true, step: WELL_SPREAD_SECONDS / FRAMES_PER_WINDOW }]
  if (keyframesSuffice(facts) && keyframePassSeconds(facts, maxFrames) <= BUDGET_SECONDS) {
    return [{ ...whole, keyframesOnly: true, step }]
  }
  if (fullPassSeconds(facts, maxFrames) <= BUDGET_SECONDS) return [{ ...whole, keyframesOnly: false, step }]
  return stretches(facts, maxFrames)
}

/** Places of a spot check, and pictures at each, so far apart. */
export const SPOTS = 2
const PICTURES_PER_SPOT = 2
const SPOT_STEP_SECONDS = 0.4

/**
 * A spot check of what a video shows elsewhere. The plan is known to those who make files: one with other pictures in all
 * places that are decoded would get a verdict about pictures that nobody sees.
 * @param seconds length of the video @param places shares of equal stretches of it, one each
 */
export function planSpotCheck(seconds: number, places: readonly number[]): Segment[] {
  return places.map((share, index) => ({
    start: ((index + share) / places.length) * seconds,
    seconds: Number.POSITIVE_INFINITY,
    keyframesOnly: false,
    step: SPOT_STEP_SECONDS,
    maxFrames: PICTURES_PER_SPOT,
    isAsShown: true,
  }))
}

/** Estimated processor time, seconds: decoding one frame, decoding one keyframe, and what each that is kept takes beyond that. */
function frameCosts({ width, height, bitsPerSecond, framesPerSecond }: PlanFacts) {
  const megapixels = (width * height) / 1e6
  const pixels = megapixels * SECONDS_PER_MEGAPIXEL
  const bits = (bitsPerSecond / Math.max(1, framesPerSecond) / 1e6) * SECONDS_PER_MEGABIT
  const kept = Math.max(SECONDS_PER_KEPT_FRAME, megapixels * SECONDS_PER_KEPT_MEGAPIXEL)
  return { any: pixels + bits, key: pixels + bits * KEYFRAME_BITS, kept }
}

const keyframesSuffice = ({ keyframes, listedAll, seconds }: PlanFacts): boolean =>
  listedAll && keyframes.length >= Math.max(2 * FRAMES_PER_WINDOW, seconds / WELL_SPREAD_SECONDS)

function keyframePassSeconds(facts: PlanFacts, maxFrames: number): number {
  const { length } = facts.keyframes
  const { key, kept } = frameCosts(facts)
  return SECONDS_PER_SEGMENT + length * key + Math.min(maxFrames, length) * kept
}

function fullPassSeconds(facts: PlanFacts, maxFrames: number): number {
  const frames = facts.seconds * Math.max(1, facts.framesPerSecond)
  const { any, kept } = frameCosts(facts)
  return SECONDS_PER_SEGMENT + frames * any + maxFrames * kept
}

/** Short stretches from keyframes on, as many as the budget and the number of frames allow; at least one. */
function stretches(facts: PlanFacts, maxFrames: number): Segment[] {
  const { any, key, kept } = frameCosts(facts)
  const step = any * facts.framesPerSecond > HEAVY_SECONDS ? LEAST_STEP_SECONDS : STRETCH_STEP_SECONDS
  const seconds = (FRAMES_PER_WINDOW - 1) * step
  const frames = Math.ceil(seconds * facts.framesPerSecond)
  const cost = SECONDS_PER_SEGMENT + key + frames * any + FRAMES_PER_WINDOW * kept
  const count = Math.max(1, Math.floor(Math.min(BUDGET_SECONDS / cost, maxFrames / FRAMES_PER_WINDOW)))
  const starts = new Set(
    // The middle of equal shares: beginnings are titles, ends are credits.
    Array.from({ length: count }, (_, index) => startNear(((index + 0.5) / count) * facts.seconds, facts)),
  )
  return [...starts].map((start) => ({
    start,
    // A little longer, because the last frame lies at the very end.
    seconds: seconds + 0.2,
    keyframesOnly: false,
    step,
    maxFrames: FRAMES_PER_WINDOW,
  }))
}

/** The last listed keyframe at or before a time; beyond those that were listed, the time itself. */
function startNear(seconds: number, { keyframes, listedAll }: PlanFacts): number {
  const before = keyframes.findLast((each) => each <= seconds)
  const isCovered = listedAll || (keyframes.at(-1) ?? 0) >= seconds
  return isCovered && before !== undefined ? before : seconds
}
