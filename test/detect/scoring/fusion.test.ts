import { describe, expect, it } from 'vitest'
import { areFacesWorthALook, asIfAll, fuse } from '../../../src/detect/scoring/fusion.js'

const FUSION = {
  withoutFaces: { intercept: 1, whole: 3 },
  withFaces: { intercept: -1, whole: 0.25, face: 4 },
}

it.each([
  [null, 1 + 3 * 100],
  [1000, -1 + 0.25 * 100 + 4 * 1000],
  [0, -1 + 0.25 * 100],
])('fuse with %s as the worst face', (face, logit) => {
  expect(fuse({ whole: 100, face, faceShare: 0.5 }, FUSION)).toBe(logit)
})

it('a face has no effect in a package without weights for faces', () => {
  expect(fuse({ whole: 100, face: 7, faceShare: 0.5 }, { withoutFaces: { intercept: 1, whole: 3 } })).toBe(301)
})

describe('a portrait', () => {
  const withFaces = { intercept: 0, whole: 1, face: 1 }
  const fusion = { withoutFaces: withFaces, withFaces, portraits: { minShare: 0.1, shift: 1.5 } }

  it.each([
    ['loses the shift', 3, 0.1, 1.5],
    ['falls to 0 and no farther', 1, 0.4, 0],
    ['keeps what speaks for real', -1, 0.4, -1],
    ['is none with a smaller face', 3, 0.09, 3],
  ])('%s', (_, whole, faceShare, logit) => {
    expect(fuse({ whole, face: 0, faceShare }, fusion)).toBe(logit)
  })

  it('is reported part by part with the same shift', () => {
    expect(asIfAll(2, fusion, { face: 9, faceShare: 0.1 })).toBe(2.5)
  })
})

it('faces are searched where the whole does not decide alone, and always where nothing is stated', () => {
  const fusion = { ...FUSION, facesBetween: [-2, 3] as [number, number] }
  expect([-2.1, -2, 0, 3, 3.1].map((whole) => areFacesWorthALook(whole, fusion))).toEqual([
    false,
    true,
    true,
    true,
    false,
  ])
  expect(areFacesWorthALook(-100, FUSION)).toBe(true)
})

it('a part is reported as if every view had the same score', () => {
  expect(asIfAll(2, FUSION, { face: null, faceShare: 0 })).toBe(7)
  expect(asIfAll(2, FUSION, { face: 9, faceShare: 0.5 })).toBe(7.5)
})
