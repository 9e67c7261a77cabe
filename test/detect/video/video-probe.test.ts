import fs from 'node:fs/promises'
import os from 'node:os'
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
} from 'mediabunny'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../../src/core/clock.js'
import { packagePath } from '../../../src/core/files.js'
import { wrapAvif } from '../../../src/detect/video/avif-wrap.js'
import { boundedSize } from '../../../src/detect/video/frame.js'
import { hasPictureKeyframes, keyframePictures } from '../../../src/detect/video/keyframe-pictures.js'
import { sniffVideoFormat } from '../../../src/detect/video/video-format.js'
import { type OpenVideo, openVideo, type VideoFacts } from '../../../src/detect/video/video-probe.js'
import { ManualClock } from '../../support/manual-clock.js'
import { unwatched } from '../../support/unwatched-parsers.js'

const fixture = (name: string) => path.join(packagePath('test', 'fixtures', 'video'), name)

let folder: string
beforeAll(async () => {
  folder = await fs.mkdtemp(path.join(os.tmpdir(), 'attestd-probe-'))
})
afterAll(() => fs.rm(folder, { recursive: true }))

async function probe<T>(file: string, use: (video: OpenVideo) => Promise<T> | T): Promise<T> {
  const format = await sniffVideoFormat(file)
  const video = await openVideo(file, { ...format, reader: format.reader! })
  try {
    return await use(video)
  } finally {
    await video.close()
  }
}
const factsOf = (file: string) => probe(file, ({ facts }) => facts)

/** The twenty frames of vp8.webm, each shown at the time that is given for its number, in Matroska. */
async function remuxed(timeOf: (nth: number) => number): Promise<string> {
  const input = new Input({ formats: ALL_FORMATS, source: new FilePathSource(fixture('vp8.webm')) })
  const track = (await input.getPrimaryVideoTrack())!
  const target = new BufferTarget()
  const output = new Output({ format: new MkvOutputFormat(), target })
  const source = new EncodedVideoPacketSource('vp8')
  output.addVideoTrack(source)
  await output.start()
  const decoderConfig = (await track.getDecoderConfig())!
  let nth = 0
  for await (const packet of new EncodedPacketSink(track).packets())
    await source.add(packet.clone({ timestamp: timeOf(nth++), duration: 0.1 }), { decoderConfig })
  await output.finalize()
  input.dispose()
  const file = path.join(folder, 'remuxed.mkv')
  await fs.writeFile(file, Buffer.from(target.buffer!))
  return file
}

// Made by test/fixtures/make-video-fixtures.ts: 20 frames of 160x120 in two seconds.
describe('what a container states', () => {
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

  it('counts the length from the first frame, where that is not shown at 0', async () => {
    const { keyframes, seconds } = await factsOf(await remuxed((nth) => 60 + nth / 10))
    expect(keyframes).toEqual([60, 60.5, 61, 61.5])
    expect(seconds).toBeGreaterThan(1.8)
    expect(seconds).toBeLessThan(2.1)
  })

  it.each([
    ['one and a half times as long', 0.15, false],
    ['almost twice as long', 0.18, true],
    ['three times as long', 0.3, true],
  ])('calls a rate variable where a frame stays much longer than another: %s', async (_, longer, isVariable) => {
    const file = await remuxed((nth) => (nth < 10 ? nth / 10 : 1 + (nth - 10) * longer))
    expect((await factsOf(file)).hasVariableRate).toBe(isVariable)
  })

  it.each([
    [1.1, 1],
    [1, 1],
    [0.99, 0.5],
    [0, 0],
    [-5, 0],
    [99, 1.5],
  ])('gives the keyframe at %d s or before it: that of %d s', async (asked, given) => {
    const { seconds, data } = await probe(fixture('vp8.webm'), (video) => video.keyframe(asked))
    expect(seconds).toBe(given)
    // The frame tag of a VP8 keyframe has a zero as its lowest bit (RFC 6386, 9.1).
    expect((data[0] as number) & 1).toBe(0)
  })

  it('refuses what cannot be read by name, and leaves no file open', async () => {
    const cut = path.join(folder, 'cut.mp4')
    await fs.writeFile(cut, (await fs.readFile(fixture('h264.mp4'))).subarray(0, 1200))
    await expect(factsOf(cut)).rejects.toMatchObject({ reason: 'media-corrupt' })
    const open = await fs.readdir('/proc/self/fd').catch(() => [])
    const targets = await Promise.all(open.map((fd) => fs.readlink(`/proc/self/fd/${fd}`).catch(() => '')))
    expect(targets).not.toContain(cut)
  })
})

describe('sniffVideoFormat', () => {
  const ftyp = (brand: string) => Buffer.from(`\0\0\0\u0018ftyp${brand}\0\0\0\0${brand}mp42`, 'latin1')
  const cases: [string, Buffer, string, string | null][] = [
    ['an MP4', ftyp('isom'), 'mp4', 'mov'],
    ['a QuickTime', ftyp('qt  '), 'quicktime', 'mov'],
    ['a phone clip', ftyp('3gp4'), '3gp', 'mov'],
    ['an AVI', Buffer.from('RIFF\x10\0\0\0AVI LIST', 'latin1'), 'avi', 'avi'],
    ['a Flash video', Buffer.from('FLV\x01\x05\0\0\0\x09', 'latin1'), 'flv', 'flv'],
    ['a program stream', Buffer.from('000001ba44000400', 'hex'), 'mpeg', 'mpeg'],
  ]
  it.each(cases)('%s by its first bytes, whatever its name', async (_, head, name, demuxer) => {
    const file = path.join(folder, 'clip.webm')
    await fs.writeFile(file, Buffer.concat([head, Buffer.alloc(200)]))
    expect(await sniffVideoFormat(file)).toMatchObject({ name, demuxer })
  })

  it.each([
    ['no bytes', Buffer.alloc(0), 'media-empty'],
    ['bytes of no format', Buffer.from('00ff13370badcafe00ff', 'hex'), 'media-unsupported'],
    ['an HLS playlist', Buffer.from('#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n'), 'media-type-mismatch'],
    ['prose', Buffer.from('This is no video at all.'), 'media-type-mismatch'],
    ['a sound', Buffer.from('fLaC\0\0\0\x22', 'latin1'), 'media-type-mismatch'],
    ['a picture', Buffer.from('ffd8ffe000104a464946000101', 'hex'), 'media-type-mismatch'],
  ])('refuses %s', async (_, bytes, reason) => {
    const file = path.join(folder, 'clip.mp4')
    await fs.writeFile(file, bytes)
    await expect(sniffVideoFormat(file)).rejects.toMatchObject({ reason })
  })
})

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

  it('leaves out a broken one, and is corrupt only where none can be decoded', async () => {
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
      await expect(none.next()).rejects.toMatchObject({ reason: 'media-corrupt', message: /No frame can be decoded/ })
    })
  })

  it('gives up after its time, with what it has been given so far', async () => {
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

describe('wrapAvif', () => {
  /** The four bytes of the configuration record. */
  const recordOf = (codec: string) => {
    const file = wrapAvif(new Uint8Array([1, 2, 3]), codec, 64, 48)
    const at = file.indexOf('av1C')
    return [...file.subarray(at + 4, at + 8)]
  }

  // AV1CodecConfigurationRecord: marker and version, profile and level, tier, depths, monochrome, subsampling, position.
  it.each([
    ['av01.0.04M.08', [0x81, 0x04, 0b0000_1100, 0]],
    ['av01.0.04H.08', [0x81, 0x04, 0b1000_1100, 0]],
    ['av01.0.04M.10', [0x81, 0x04, 0b0100_1100, 0]],
    ['av01.2.13M.12', [0x81, 0x4d, 0b0110_1100, 0]],
    ['av01.1.04M.08.0.000', [0x81, 0x24, 0b0000_0000, 0]],
    ['av01.0.04M.08.1.112', [0x81, 0x04, 0b0001_1110, 0]],
    ['av01.0.04M.08.0.111.09.16.09.0', [0x81, 0x04, 0b0000_1101, 0]],
  ])('states how %s is coded', (codec, record) => {
    expect(recordOf(codec)).toEqual(record)
  })

  it.each(['', 'av01', 'av01.0.4M.08', 'avc1.64000a', 'x av01.0.04M.08'])('refuses %j, which is no AV1', (codec) => {
    expect(() => wrapAvif(new Uint8Array(1), codec, 1, 1)).toThrow(expect.objectContaining({ reason: 'media-corrupt' }))
  })

  it('makes a file whose one item lies where it states, at its end', () => {
    const frame = Buffer.from('a keyframe')
    const file = wrapAvif(frame, 'av01.0.04M.08', 640, 480)
    const iloc = file.indexOf('iloc')
    const [offset, length] = [file.readUInt32BE(iloc + 18), file.readUInt32BE(iloc + 22)]
    expect(file.subarray(offset, offset + length)).toEqual(frame)
    expect(offset + length).toBe(file.length)
    const ispe = file.indexOf('ispe')
    expect([file.readUInt32BE(ispe + 8), file.readUInt32BE(ispe + 12)]).toEqual([640, 480])
  })

  it('a picture library reads it at the size of the frame', async () => {
    const video = fixture('av1.mp4')
    const avif = await probe(video, async ({ codecString, keyframe }) =>
      wrapAvif((await keyframe(0)).data, codecString ?? '', 160, 120),
    )
    expect(await sharp(avif).metadata()).toMatchObject({ format: 'heif', width: 160, height: 120 })
    const { data, info } = await sharp(avif).removeAlpha().raw().toBuffer({ resolveWithObject: true })
    // The fixture is red at the top left and white at the bottom right.
    expect([info.width, info.height, (data[0] as number) > 200, (data[1] as number) < 60]).toEqual([
      160,
      120,
      true,
      true,
    ])
    expect(Math.min(...data.subarray(-3))).toBeGreaterThan(200)
  })
})

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
