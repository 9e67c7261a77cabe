import { expect, it } from 'vitest'
import { boundedSize } from '../../../src/detect/video/frame.js'

it.each([
  [1920, 1080, 1280, 720],
  [1080, 1920, 720, 1280],
  [720, 720, 720, 720],
  [640, 360, 640, 360],
  [721, 9999, 720, 9985],
  [1, 1, 1, 1],
])('a frame of %ix%i px becomes one of %ix%i', (width, height, ...size) => {
  expect(Object.values(boundedSize(width, height))).toEqual(size)
})
