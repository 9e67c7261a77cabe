import fs from 'node:fs/promises'
import path from 'node:path'
import {
  ALL_FORMATS,
  BufferTarget,
  EncodedPacketSink,
  EncodedVideoPacketSource,
  FilePathSource,
  Input,
  MkvOutputFormat,
  Output,
  type VideoTrackMetadata,
} from 'mediabunny'
import { describe, expect, it } from 'vitest'
import { packagePath } from '../../../src/core/files.js'
import type { VideoFacts } from '../../../src/detect/video/video-probe.js'
import { probe } from '../../support/open-video.js'
import { filesForAll } from '../../support/temporary-folder.js'

const fixture = (name: string) => path.join(packagePath('test', 'fixtures', 'video'), name)

const fileWith = filesForAll()

const factsOf = (file: string) => probe(file, ({ facts }) => facts)

/** The twenty frames of vp8.webm in Matroska, on each of these tracks, the nth of them at the time that is given for it, s. */
async function remuxed(tracks: VideoTrackMetadata[], timeOf = (nth: number) => nth / 10): Promise<string> {
  const input = new Input({ formats: ALL_FORMATS, source: new FilePathSource(fixture('vp8.webm')) })
  const track = (await input.getPrimaryVideoTrack())!
  const decoderConfig = (await track.getDecoderConfig())!
  const target = new BufferTarget()
  const output = new Output({ format: new MkvOutputFormat(), target })
  const sources = tracks.map((metadata) => {
    const source = new EncodedVideoPacketSource('vp8')
    output.addVideoTrack(source, metadata)
    return source
  })
  await output.start()
  let nth = 0
  for await (const packet of new EncodedPacketSink(track).packets()) {
    const timed = packet.clone({ timestamp: timeOf(nth++), duration: 0.1 })
    for (const source of sources) await source.add(timed, { decoderConfig })
  }
  await output.finalize()
  input.dispose()
  return fileWith(Buffer.from(target.buffer!))
}

describe('a file that players show otherwise', () => {
  const [first, other] = [{ disposition: { default: true } }, { disposition: { default: false } }]

  it('is refused where several tracks of pictures are not marked so that all begin with the first', async () => {
    expect((await factsOf(await remuxed([first, other]))).codec).toBe('vp8')
    for (const tracks of [
      [other, first],
      [first, first],
      [other, other],
    ])
      await expect(factsOf(await remuxed(tracks))).rejects.toMatchObject({ reason: 'media-unsupported' })
  })

  it('is refused where a track is disabled, which only some players pass over', async () => {
    const bytes = await fs.readFile(await remuxed([other, first]))
    // FlagDefault of the first track becomes FlagEnabled, both 0.
    bytes.writeUInt8(0xb9, bytes.indexOf('888100', 'hex'))
    const refused = { reason: 'media-unsupported', message: expect.stringContaining('disabled') }
    await expect(factsOf(await fileWith(bytes))).rejects.toMatchObject(refused)
  })

  it('is refused where an MP4 states that a part of its pictures is to be cut out', async () => {
    const bytes = await fs.readFile(fixture('h264.mp4'))
    const withAperture = (width: number, height: number) => {
      const box = Buffer.alloc(40)
      box.writeUInt32BE(box.length)
      box.write('clap', 4)
      for (const [nth, value] of [width, 1, height, 1, 0, 1, 0, 1].entries()) box.writeUInt32BE(value, 8 + 4 * nth)
      // At the end of the index, which ends the file.
      const whole = Buffer.concat([bytes, box])
      const at = whole.indexOf('moov') - 4
      whole.writeUInt32BE(whole.readUInt32BE(at) + box.length, at)
      return fileWith(whole)
    }
    expect((await factsOf(await withAperture(158, 118))).codec).toBe('avc')
    for (const [width, height] of [
      [80, 120],
      [160, 60],
    ] as const)
      await expect(factsOf(await withAperture(width, height))).rejects.toMatchObject({ reason: 'media-unsupported' })
  })

  it('is refused where the pictures are transparent', async () => {
    expect((await factsOf(await remuxed([{}]))).codec).toBe('vp8')
    const clear = await remuxed([{ canBeTransparent: true }])
    await expect(factsOf(clear)).rejects.toMatchObject({ reason: 'media-unsupported' })
  })
})

// Made by test/fixtures/make-video-fixtures.ts: 20 frames of 160x120 in two seconds.
describe('the facts of a container', () => {
  it.each<[string, Partial<VideoFacts>, string | null]>([
    ['vp8.webm', { codec: 'vp8', rotation: 0, keyframes: [0, 0.5, 1, 1.5] }, 'vp8'],
    ['av1.mp4', { codec: 'av1', rotation: 0, keyframes: [0, 0.5, 1, 1.5] }, 'av01.0.00M.08'],
    ['h264.mp4', { codec: 'avc', rotation: 0, keyframes: [0, 1] }, 'avc1.64000a'],
    ['rotated-h264.mp4', { codec: 'avc', rotation: 270, keyframes: [0, 1] }, 'avc1.64000a'],
    ['mjpeg.mkv', { codec: 'V_MJPEG', rotation: 0 }, null],
    ['rotated-mjpeg.mov', { codec: 'jpeg', rotation: 270 }, null],
  ])('%s', async (name, facts, codecString) => {
    const { size } = await fs.stat(fixture(name))
    await probe(fixture(name), (video) => {
      expect(video.facts).toMatchObject({
        width: 160,
        height: 120,
        seconds: 2,
        framesPerSecond: 10,
        hasVariableRate: false,
        bitsPerSecond: size * 4,
        listedAll: true,
        hasSound: false,
        ...facts,
      })
      expect(video.codecString).toBe(codecString)
    })
  })

  it('count the length from the first frame, where that is not shown at 0', async () => {
    const { keyframes, seconds } = await factsOf(await remuxed([{}], (nth) => 60 + nth / 10))
    expect(keyframes).toEqual([60, 60.5, 61, 61.5])
    expect(seconds).toBeGreaterThan(1.8)
    expect(seconds).toBeLessThan(2.1)
  })

  it.each([
    ['one and a half times as long', 0.15, false],
    ['almost twice as long', 0.18, true],
    ['three times as long', 0.3, true],
  ])('call a rate variable where a frame stays much longer than another: %s', async (_, longer, isVariable) => {
    const file = await remuxed([{}], (nth) => (nth < 10 ? nth / 10 : 1 + (nth - 10) * longer))
    expect((await factsOf(file)).hasVariableRate).toBe(isVariable)
  })

  it.each([
    [1.1, 1],
    [1, 1],
    [0.99, 0.5],
    [0, 0],
    [-5, 0],
    [99, 1.5],
  ])('give the keyframe at %d s or before it: that of %d s', async (asked, given) => {
    const { seconds, data } = await probe(fixture('vp8.webm'), (video) => video.keyframe(asked))
    expect(seconds).toBe(given)
    // The frame tag of a VP8 keyframe has a zero as its lowest bit (RFC 6386, 9.1).
    expect((data[0] as number) & 1).toBe(0)
  })

  it('are refused by name where unreadable, and leave no file open', async () => {
    const cut = await fileWith((await fs.readFile(fixture('h264.mp4'))).subarray(0, 1200))
    await expect(factsOf(cut)).rejects.toMatchObject({ reason: 'media-corrupt' })
    const open = await fs.readdir('/proc/self/fd').catch(() => [])
    const targets = await Promise.all(open.map((fd) => fs.readlink(`/proc/self/fd/${fd}`).catch(() => '')))
    expect(targets).not.toContain(cut)
  })
})
