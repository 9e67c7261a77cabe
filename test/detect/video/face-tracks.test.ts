import { expect, it } from 'vitest'
import { trackFaces } from '../../../src/detect/video/face-tracks.js'

const box = (left: number, top = 0, side = 40) => ({ left, top, width: side, height: side })
/** Where each track was, by its left edges. */
const lefts = (frames: readonly (readonly ReturnType<typeof box>[])[], gap = 5) =>
  trackFaces(
    frames.map((faces, seconds) => ({ seconds, faces })),
    gap,
  ).map((track) => track.map(({ face }) => face.left))

it('follows a face that moves a little, and one that moves half its width', () => {
  expect(lefts([[box(0)], [box(5)], [box(25)]])).toEqual([[0, 5, 25]])
})

it('keeps two faces apart whatever their order in a frame', () => {
  expect(
    lefts([
      [box(0), box(200)],
      [box(204), box(3)],
      [box(6), box(208)],
    ]),
  ).toEqual([
    [0, 3, 6],
    [200, 204, 208],
  ])
})

it('begins a new track after a jump, and for a face of another size', () => {
  expect(lefts([[box(0)], [box(300)]])).toEqual([[0], [300]])
  expect(lefts([[box(0, 0, 40)], [box(0, 0, 200)]])).toEqual([[0], [0]])
})

it('takes a face up again after a short gap, not after a long one', () => {
  const seen = [[box(0)], [], [], [box(2)]]
  expect(lefts(seen, 5)).toEqual([[0, 2]])
  expect(lefts(seen, 2)).toEqual([[0], [2]])
})

it('gives the closest box to the track where two could be the same face', () => {
  expect(lefts([[box(0)], [box(12), box(2)]])).toEqual([[0, 2], [12]])
})
