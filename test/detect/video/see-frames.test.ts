import { expect, it } from 'vitest'
import { AttestdError } from '../../../src/core/errors.js'
import type { Picture } from '../../../src/detect/contract/picture.js'
import type { Frame } from '../../../src/detect/video/frame.js'
import { seeFrames } from '../../../src/detect/video/see-frames.js'

const frame = (seconds: number, shade = seconds): Frame => {
  return { seconds, pixels: Buffer.alloc(6, shade), width: 1, height: 2 }
}
type Look = (picture: Picture) => Promise<{ rawScore: number }>
const byTime: Look = async (picture) => ({ rawScore: (picture as Frame).seconds * 10 })
const blank: Look = async () => {
  throw new AttestdError('media-featureless')
}
const score = (times: readonly number[], scorer: Look) => {
  const frames = async function* () {
    for (const seconds of times) yield frame(seconds)
  }
  return seeFrames(frames(), scorer, (work) => work())
}

it('returns the frames in the order of time', async () => {
  const scored = await score([3, 1, 2], byTime)
  expect(scored.map(({ seconds, rawScore }) => [seconds, rawScore])).toEqual([
    [1, 10],
    [2, 20],
    [3, 30],
  ])
})

it('drops frames in which there is nothing to judge', async () => {
  const scored = await score([0, 1, 2], (picture) =>
    (picture as Frame).seconds === 1 ? blank(picture) : byTime(picture),
  )
  expect(scored.map(({ seconds }) => seconds)).toEqual([0, 2])
})

it('refuses a video of nothing else, and passes on other errors', async () => {
  await expect(score([0, 1], blank)).rejects.toMatchObject({ reason: 'media-featureless' })
  const failing: Look = async () => {
    throw new AttestdError('detector-failed')
  }
  await expect(score([0, 1], failing)).rejects.toMatchObject({ reason: 'detector-failed' })
  expect(await score([], byTime)).toEqual([])
})

it('does not judge a frame again that equals the previous one', async () => {
  const looked: number[] = []
  const frames = async function* () {
    yield* [frame(0, 7), frame(1, 7), frame(2, 8), frame(3, 7)]
    // As many bytes of the same values, in another shape.
    yield { ...frame(4, 7), width: 2, height: 1 }
  }
  const look = async (picture: Frame) => {
    looked.push(picture.seconds)
    return { from: picture.seconds }
  }
  const seen = await seeFrames(
    frames(),
    (picture) => look(picture as Frame),
    (work) => work(),
  )
  expect(looked).toEqual([0, 2, 3, 4])
  expect(seen.map(({ seconds, from }) => [seconds, from])).toEqual([
    [0, 0],
    [1, 0],
    [2, 2],
    [3, 3],
    [4, 4],
  ])
})
