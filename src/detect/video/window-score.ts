import { median } from '../../core/arrays.js'

/** What has a time in the video. */
export interface Timed {
  readonly seconds: number
}

/** A score at a time of the video. */
export interface TimedScore extends Timed {
  readonly rawScore: number
}

/** A stretch of the video with the robust score of the frames in it. */
export interface ScoredWindow {
  /** Times of its first and last frame, seconds. */
  readonly from: number
  readonly to: number
  readonly rawScore: number
  readonly frames: number
}

/**
 * Windows over scores in the order of time: one starts at each of them and holds all of the next `seconds`. One with fewer
 * than `least` takes the nearest before or after, where the video has any, so that a single bad frame never stands alone.
 * The score of a window is the median of its scores.
 */
export function scoreWindows(scores: readonly TimedScore[], seconds: number, least: number): ScoredWindow[] {
  return windowsOf(scores, seconds, least).map((inside) =>
    scoredWindow(inside, median(inside.map(({ rawScore }) => rawScore))),
  )
}

/** The windows themselves: what lies in each, in the order of time. */
export function windowsOf<T extends Timed>(frames: readonly T[], seconds: number, least: number): T[][] {
  return frames.map(({ seconds: from }, start) => {
    const beyond = frames.findIndex((each, index) => index > start && each.seconds >= from + seconds)
    return frames.slice(...widened(frames, start, beyond === -1 ? frames.length : beyond, least))
  })
}

/** A window by what lies in it, at least one. */
export function scoredWindow(inside: readonly Timed[], rawScore: number): ScoredWindow {
  return { from: (inside[0] as Timed).seconds, to: (inside.at(-1) as Timed).seconds, rawScore, frames: inside.length }
}

/** A range of scores, end excluded, made longer on the side where the next one is nearer, the later one where both are. */
function widened(scores: readonly Timed[], from: number, to: number, least: number): [number, number] {
  const gap = (a: number, b: number) => (scores[b]?.seconds ?? Number.NaN) - (scores[a]?.seconds ?? Number.NaN)
  let [first, end] = [from, to]
  while (end - first < Math.min(least, scores.length)) {
    // NaN, where there is none on a side, compares as false.
    const isEarlierNearer = gap(first - 1, first) < gap(end - 1, end) || end === scores.length
    if (first > 0 && isEarlierNearer) first -= 1
    else end += 1
  }
  return [first, end]
}

/** Windows that do not overlap, the highest first; of equal ones the earlier. */
export function worstWindows(windows: readonly ScoredWindow[]): ScoredWindow[] {
  const kept: ScoredWindow[] = []
  for (const window of windows.toSorted((a, b) => b.rawScore - a.rawScore || a.from - b.from)) {
    if (kept.every((other) => window.to < other.from || window.from > other.to)) kept.push(window)
  }
  return kept
}
