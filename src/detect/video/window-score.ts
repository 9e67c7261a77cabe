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
 * Windows over scores in the order of time: one starts at each of them and holds all of the next `seconds`, but at least
 * `least` (where the video has that many), so that a single bad frame never stands alone. The score of a window is the
 * median of its scores.
 */
export function scoreWindows(scores: readonly TimedScore[], seconds: number, least: number): ScoredWindow[] {
  const windows: ScoredWindow[] = []
  for (const [start, { seconds: from }] of scores.entries()) {
    const beyond = scores.findIndex((each, index) => index > start && each.seconds >= from + seconds)
    const end = Math.max(beyond === -1 ? scores.length : beyond, Math.min(scores.length, start + least))
    const first = Math.max(0, Math.min(start, end - least))
    const inside = scores.slice(first, end)
    windows.push({
      from: (inside[0] as TimedScore).seconds,
      to: (inside.at(-1) as TimedScore).seconds,
      rawScore: median(inside.map(({ rawScore }) => rawScore)),
      frames: inside.length,
    })
    // The windows that would follow hold a part of this one only.
    if (end === scores.length) break
  }
  return windows
}

/** Windows that do not overlap, the highest first; of equal ones the earlier. */
export function worstWindows(windows: readonly ScoredWindow[]): ScoredWindow[] {
  const kept: ScoredWindow[] = []
  for (const window of windows.toSorted((a, b) => b.rawScore - a.rawScore || a.from - b.from)) {
    if (kept.every((other) => window.to < other.from || window.from > other.to)) kept.push(window)
  }
  return kept
}

/** The middle value; of an even number the mean of both in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  return ((sorted[Math.floor(middle)] as number) + (sorted[Math.ceil(middle) - 1] as number)) / 2
}
