import { describe, expect, it } from 'vitest'
import { calibrationSchema } from '../../../src/detect/package/calibration-schema.js'

describe('calibration', () => {
  it('accepts 2 to 200 knots and 1 to 20 bins', () => {
    const knots = (count: number) =>
      calibrationSchema.safeParse({
        kind: 'isotonic',
        logits: Array.from({ length: count }, (_, nth) => nth),
        risks: Array.from({ length: count }, (_, nth) => nth / count),
      }).success
    expect([1, 2, 200, 201].map(knots)).toEqual([false, true, true, false])
    const bins = (count: number) =>
      calibrationSchema.safeParse({
        kind: 'by-length',
        bins: Array.from({ length: count }, (_, nth) => ({
          slope: 1,
          intercept: 0,
          ...(nth < count - 1 ? { upTo: nth + 1 } : {}),
        })),
      }).success
    expect([0, 1, 20, 21].map(bins)).toEqual([false, true, true, false])
  })

  it.each([
    { kind: 'isotonic', logits: [0, 1], risks: [0, 1.01] },
    { kind: 'isotonic', logits: [0, 1, 2], risks: [0, 1] },
    { kind: 'isotonic', logits: [0, 0], risks: [0, 1] },
    { kind: 'isotonic', logits: [0, 1], risks: [1, 0] },
    { kind: 'isotonic', logits: [1, 0], risks: [0, 1] },
    { kind: 'platt', slope: 0, intercept: 0 },
    { kind: 'platt', slope: -1, intercept: 0 },
    { kind: 'platt', slope: 1, intercept: 0, upTo: 5 },
    {
      kind: 'by-length',
      bins: [
        { upTo: 5, slope: -1, intercept: 0 },
        { slope: 1, intercept: 0 },
      ],
    },
    {
      kind: 'by-length',
      bins: [
        { upTo: 5, slope: 1, intercept: 0 },
        { upTo: 5, slope: 1, intercept: 0 },
        { slope: 1, intercept: 0 },
      ],
    },
    { kind: 'by-length', bins: [{ upTo: 500, slope: 1, intercept: 0 }] },
    {
      kind: 'by-length',
      bins: [
        { slope: 1, intercept: 0 },
        { slope: 1, intercept: 0 },
      ],
    },
    { kind: 'temperature', temperature: -1 },
    { kind: 'temperature', temperature: 0 },
  ])('refuses %j, which is not monotone or is malformed', (calibration) => {
    expect(calibrationSchema.safeParse(calibration).success).toBe(false)
  })

  it('a risk that stays the same between knots is monotone too', () => {
    expect(calibrationSchema.safeParse({ kind: 'isotonic', logits: [0, 1], risks: [0.5, 0.5] }).success).toBe(true)
  })
})
