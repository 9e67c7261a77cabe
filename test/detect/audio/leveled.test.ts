import { expect, it } from 'vitest'
import { leveled } from '../../../src/detect/audio/leveled.js'

it('samples get a mean of 0 and a variance of 1, as Wav2Vec2FeatureExtractor does', () => {
  const even = Array.from(leveled(Float32Array.of(1, 3), { normalize: 'zero-mean-unit-variance' }))
  expect(even[0]).toBeCloseTo(-1, 6)
  expect(even[1]).toBeCloseTo(1, 6)
})

it('silence stays silence, and a plan without it leaves samples alone', () => {
  expect(leveled(new Float32Array(4), { normalize: 'zero-mean-unit-variance' })).toEqual(new Float32Array(4))
  const samples = Float32Array.of(0.5, 0.25)
  expect(leveled(samples, { normalize: 'none' })).toBe(samples)
})
