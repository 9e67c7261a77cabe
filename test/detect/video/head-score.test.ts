import { expect, it } from 'vitest'
import type { FeatureHead } from '../../../src/detect/runtimes/feature-head.js'
import { type DescribedFrame, scoreClipByHead } from '../../../src/detect/video/head-score.js'

const PLAN = { windowSeconds: 2.5, windowMargin: 1 }
/** A frame whose one feature is its logit. */
const frame = (seconds: number, logit: number): DescribedFrame => ({ seconds, features: Float32Array.of(logit) })
const mean: FeatureHead = async (pictures) => {
  return pictures.reduce((sum, [logit]) => sum + (logit as number), 0) / pictures.length
}

it('gives a clip without an odd window the logit of all its frames', async () => {
  const frames = [0, 1, 2, 3, 4, 5].map((seconds) => frame(seconds, seconds % 2))
  const { rawScore, worst } = await scoreClipByHead(frames, mean, PLAN)
  expect(rawScore).toBe(0.5)
  expect(worst).toMatchObject({ from: 0, to: 5, frames: 6 })
})

it('is raised by a short passage, by as much as that exceeds the margin', async () => {
  const frames = [...Array(20).keys()].map((seconds) => frame(seconds, seconds >= 10 && seconds < 13 ? 6 : -2))
  const { rawScore, worst, parts } = await scoreClipByHead(frames, mean, PLAN)
  expect(worst).toMatchObject({ from: 10, to: 12 })
  expect(rawScore).toBe(5)
  expect(parts[0]).toEqual({ name: 'window 10.0-12.0 s', rawScore: 6 })
})

it('refuses a clip without frames', async () => {
  await expect(scoreClipByHead([], mean, PLAN)).rejects.toMatchObject({ reason: 'media-corrupt' })
})

it('gives a still picture, and a clip of one frame, the logit of that picture alone', async () => {
  const still = [0, 1, 2, 3, 4, 5].map((seconds) => frame(seconds, -1.5))
  for (const frames of [still, still.slice(0, 1)]) {
    const { rawScore, worst } = await scoreClipByHead(frames, mean, PLAN)
    expect(rawScore).toBe(-1.5)
    expect(worst.frames).toBe(frames.length)
  }
})
