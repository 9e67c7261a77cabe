import { median } from '../../core/median.js'

/** A score at a time of the video. */
export interface TimedScore {
  readonly seconds: number
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
  return scores.map(({ seconds: from }, start) => {
    const beyond = scores.findIndex((each, index) => index > start && each.seconds >= from + seconds)
    const [first, end] = widened(scores, start, beyond === -1 ? scores.length : beyond, least)
    const inside = scores.slice(first, end)
    return {
      from: (inside[0] as TimedScore).seconds,
      to: (inside.at(-1) as TimedScore).seconds,
      rawScore: median(inside.map(({ rawScore }) => rawScore)),
      frames: inside.length,
    }
  })
}

/** A range of scores, end excluded, made longer on the side where the next one is nearer, the later one where both are. */
function widened(scores: readonly TimedScore[], from: number, to: number, least: number): [number, number] {
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
