import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../../../src/core/clock.js'
import { packagePath } from '../../../src/core/files.js'
import { hasPictureKeyframes, keyframePictures } from '../../../src/detect/video/keyframe-pictures.js'
import type { OpenVideo } from '../../../src/detect/video/video-probe.js'
import { ManualClock } from '../../support/manual-clock.js'
import { probe } from '../../support/open-video.js'
import { unwatched } from '../../support/unwatched-parsers.js'
import { withReason } from '../../support/with-reason.js'

const fixture = (name: string) => path.join(packagePath('test', 'fixtures', 'video'), name)

describe('keyframes as pictures', () => {
  const tools = { timeoutSeconds: 10, clock: systemClock, parsers: unwatched }

  it.each([
    [1, [1]],
    [3, [0.3, 1, 1.6]],
    [5, [0.2, 0.6, 1, 1.4, 1.8]],
    [20, Array.from({ length: 20 }, (_, nth) => nth / 10)],
    [99, Array.from({ length: 20 }, (_, nth) => nth / 10)],
  ])('takes %i of twenty from the middle of equal shares', async (most, expected) => {
    const times: number[] = []
    await probe(fixture('mjpeg.mkv'), async (video) => {
      for await (const { seconds, width, height, pixels } of keyframePictures(video, most, tools)) {
        times.push(Number(seconds.toFixed(3)))
        expect(pixels).toHaveLength(width * height * 3)
      }
    })
    expect(times).toEqual(expected)
  })

  it('asks by time where not all keyframes are listed, and takes none twice', async () => {
    await probe(fixture('vp8.webm'), async (video) => {
      const asked: number[] = []
      const partly: OpenVideo = {
        ...video,
        facts: { ...video.facts, keyframes: [0], listedAll: false },
        keyframe: (seconds) => {
          asked.push(seconds)
          return video.keyframe(seconds)
        },
      }
      for await (const frame of keyframePictures(partly, 4, tools)) expect(frame.width).toBe(160)
      expect(asked).toEqual([0.25, 0.75, 1.25, 1.75])
    })
  })

  it('decodes fewer where the file is small for its pixels', async () => {
    await probe(fixture('vp8.webm'), async (video) => {
      const sized = (width: number, height: number) => ({ ...video, facts: { ...video.facts, width, height } })
      let frames = 0
      for await (const frame of keyframePictures(sized(3000, 3000), 9, tools)) frames += frame.seconds >= 0 ? 1 : 0
      expect(frames).toBe(2)
    })
  })

  it('drops a broken one, and is corrupt only where none can be decoded', async () => {
    await probe(fixture('vp8.webm'), async (video) => {
      const breaking = (isBroken: (seconds: number) => boolean): OpenVideo => ({
        ...video,
        keyframe: async (seconds) =>
          isBroken(seconds) ? { data: new Uint8Array([0x10, 1, 2]), seconds } : video.keyframe(seconds),
      })
      const times: number[] = []
      for await (const { seconds } of keyframePictures(
        breaking((at) => at === 0.5),
        9,
        tools,
      ))
        times.push(seconds)
      expect(times).toEqual([0, 1, 1.5])
      const none = keyframePictures(
        breaking(() => true),
        9,
        tools,
      )
      await expect(none.next()).rejects.toThrow(withReason('media-corrupt', /No frame can be decoded/))
    })
  })

  it('gives up after its time limit, with the pictures so far', async () => {
    const clock = new ManualClock()
    await probe(fixture('vp8.webm'), async (video) => {
      const frames = keyframePictures(video, 9, { ...tools, clock })
      expect((await frames.next()).done).toBe(false)
      clock.tick(10_000)
      expect((await frames.next()).done).toBe(false)
      clock.tick(1)
      await expect(frames.next()).rejects.toMatchObject({ reason: 'detector-timeout' })
    })
  })

  it.each([
    ['vp8', true],
    ['av1', true],
    ['jpeg', true],
    ['V_MJPEG', true],
    ['avc', false],
    ['vp9', false],
    ['toString', false],
  ])('a codec %s needs no ffmpeg: %s', (codec, needsNone) => {
    expect(hasPictureKeyframes(codec)).toBe(needsNone)
  })
})
