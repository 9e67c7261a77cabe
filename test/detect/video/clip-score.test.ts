import { describe, expect, it } from 'vitest'
import { scoreClip } from '../../../src/detect/video/clip-score.js'
import { scoreWindows, type TimedScore, worstWindows } from '../../../src/detect/video/window-score.js'
import { withReason } from '../../support/with-reason.js'

const frame = (seconds: number, rawScore: number): TimedScore => ({ seconds, rawScore })
const steady = (count: number, rawScore: number) => Array.from({ length: count }, (_, at) => frame(at, rawScore))

describe('windows', () => {
  it('contain all frames of their seconds, and at least the three nearest', () => {
    const scores = [0, 1, 2, 10, 20, 30].map((seconds) => ({ seconds, rawScore: seconds }))
    expect(scoreWindows(scores, 2.5, 3).map(({ from, to, rawScore }) => [from, to, rawScore])).toEqual([
      [0, 2, 1],
      [0, 2, 1],
      [0, 2, 1],
      [1, 10, 2],
      [10, 30, 20],
      [10, 30, 20],
    ])
  })

  it('do not extend from one decoded stretch into the next', () => {
    const scores = [0, 0.4, 0.8, 60, 60.4, 60.8].map((seconds) => ({ seconds, rawScore: seconds }))
    const windows = scoreWindows(scores, 4, 3)
    expect(new Set(windows.map(({ from, to }) => `${from}-${to}`))).toEqual(new Set(['0-0.8', '60-60.8']))
  })

  it('contain all of a clip with fewer frames', () => {
    expect(scoreWindows([{ seconds: 1, rawScore: 5 }], 4, 3)).toEqual([{ from: 1, to: 1, rawScore: 5, frames: 1 }])
    expect(scoreWindows([], 4, 3)).toEqual([])
  })

  it('are reported without overlap, the worst first', () => {
    const windows = [
      { from: 0, to: 3, rawScore: 1, frames: 3 },
      { from: 2, to: 5, rawScore: 4, frames: 3 },
      { from: 6, to: 9, rawScore: 2, frames: 3 },
    ]
    expect(worstWindows(windows).map(({ from }) => from)).toEqual([2, 6])
  })
})

describe('a clip', () => {
  it('is as risky as a swapped passage in it', () => {
    const frames = steady(120, -2).map((each) =>
      each.seconds >= 50 && each.seconds < 56 ? frame(each.seconds, 3) : each,
    )
    const clip = scoreClip(frames, 4)
    expect(clip.rawScore).toBe(3)
    expect(clip.worst.from).toBeGreaterThanOrEqual(48)
    expect(clip.worst.to).toBeLessThan(60)
    expect(clip.parts[0]?.name).toBe('window 49.0-52.0 s')
  })

  it('is not flagged for single bad frames', () => {
    const frames = steady(60, -2).map((each) => (each.seconds % 9 === 0 ? frame(each.seconds, 6) : each))
    expect(scoreClip(frames, 4).rawScore).toBe(-2)
  })

  it('without any frame is corrupt', () => {
    expect(() => scoreClip([], 4)).toThrow(withReason('media-corrupt'))
  })
})
