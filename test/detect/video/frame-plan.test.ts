import { describe, expect, it } from 'vitest'
import { type PlanFacts, planFrames, planSpotCheck } from '../../../src/detect/video/frame-plan.js'

/** Keyframes every `apart` seconds. */
function clip(seconds: number, apart: number, more: Partial<PlanFacts> = {}): PlanFacts {
  const keyframes = Array.from({ length: Math.ceil(seconds / apart) }, (_, index) => index * apart)
  const usual = { width: 1920, height: 1080, framesPerSecond: 30, bitsPerSecond: 5e6, listedAll: true }
  return { seconds, keyframes, ...usual, ...more }
}

describe('the decoded frames', () => {
  it.each([
    ['keyframes that lie close', clip(60, 2), [0, true]],
    ['a short clip with few keyframes', clip(10, 8), [0, false]],
    ['a small clip with few keyframes', clip(40, 8, { width: 640, height: 360, bitsPerSecond: 5e5 }), [0, false]],
    ['a container of unknown length', clip(0, 1, { width: 0, height: 0, keyframes: [] }), [0, true]],
  ])('%s: in one pass', (_what, facts, [start, keyframesOnly]) => {
    const plan = planFrames(facts, 32)
    expect(plan).toEqual([
      { start, keyframesOnly, seconds: Number.POSITIVE_INFINITY, step: expect.any(Number), maxFrames: 32 },
    ])
  })

  it('a long clip with few keyframes: stretches from keyframes on, spread over all of it', () => {
    const facts = clip(60, 250 / 30)
    const plan = planFrames(facts, 32)
    expect(plan.length).toBeGreaterThan(4)
    for (const { start, keyframesOnly, maxFrames } of plan) {
      expect(facts.keyframes).toContain(start)
      expect([keyframesOnly, maxFrames]).toEqual([false, 3])
    }
    expect(plan.at(-1)?.start).toBeGreaterThan(45)
    expect(new Set(plan.map(({ start }) => start)).size).toBe(plan.length)
  })

  it('two hours: as many stretches as the budget allows, also beyond the listed keyframes', () => {
    const plan = planFrames(clip(7200, 2, { listedAll: false, keyframes: [0, 2, 4] }), 32)
    expect(plan.length).toBeGreaterThan(4)
    expect(plan.length).toBeLessThanOrEqual(10)
    expect(plan.at(-1)?.start).toBeGreaterThan(6000)
  })

  it('a video too heavy for the budget: one stretch at least', () => {
    expect(planFrames(clip(60, 8, { width: 7680, height: 4320, bitsPerSecond: 4e8 }), 32)).toHaveLength(1)
  })

  it.each([
    ['30 frames a second', clip(1, 8, { width: 4890, height: 3680, bitsPerSecond: 5e5 })],
    ['10 frames a second', clip(2, 8, { width: 4890, height: 3680, framesPerSecond: 10, bitsPerSecond: 2e5 })],
  ])('frames of 18 megapixels in few bytes: three, at %s', (_what, facts) => {
    const plan = planFrames(facts, 32)
    expect(plan.map(({ maxFrames, start }) => [start, maxFrames])).toEqual([[0, 3]])
    // Few frames are decoded on the way.
    expect(2 * (plan[0]?.step ?? 0) * facts.framesPerSecond).toBeLessThanOrEqual(12)
  })

  it('a frame of up to 3 megapixels costs the same to keep, so that a clip of 10 s is read in one pass', () => {
    for (const [width, height] of [
      [640, 360],
      [1280, 720],
      [1920, 1080],
    ] as const) {
      const [segment, ...others] = planFrames(clip(10, 8, { width, height, bitsPerSecond: 3e6 }), 32)
      expect([segment?.maxFrames, segment?.keyframesOnly, others.length]).toEqual([32, false, 0])
    }
  })

  it('never more frames than asked for', () => {
    for (const maxFrames of [1, 2, 5, 32, 100]) {
      for (const facts of [clip(4, 1), clip(60, 2), clip(60, 8), clip(7200, 2)]) {
        const planned = planFrames(facts, maxFrames).reduce((sum, segment) => sum + segment.maxFrames, 0)
        // One stretch holds three frames; it is the least that there is.
        expect(planned).toBeLessThanOrEqual(Math.max(3, maxFrames))
      }
    }
  })
})

it('a place in each half of a video is checked', () => {
  const startsOf = (...places: number[]) => planSpotCheck(60, places).map(({ start }) => start)
  expect(startsOf(0, 0)).toEqual([0, 30])
  expect(startsOf(0.5, 0.5)).toEqual([15, 45])
})
