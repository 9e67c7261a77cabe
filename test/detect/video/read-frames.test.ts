import fs from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../../../src/core/clock.js'
import { packagePath } from '../../../src/core/files.js'
import type { Frame } from '../../../src/detect/video/frame.js'
import { readFrames } from '../../../src/detect/video/read-frames.js'
import { ffmpeg, make } from '../../support/ffmpeg-tool.js'
import { lateTracks } from '../../support/late-tracks.js'
import { folderForTest } from '../../support/temporary-folder.js'
import { unwatched } from '../../support/unwatched-parsers.js'
import { withReason } from '../../support/with-reason.js'

// Made by test/fixtures/make-video-fixtures.ts: red, green / blue, white.
const at = (name: string) => path.join(packagePath('test', 'fixtures', 'video'), name)
const bad = (name: string) => path.join(packagePath('test', 'fixtures', 'bad-input'), name)

async function read(file: string, program: string | null, maxFrames = 24) {
  const video = await readFrames(file, maxFrames, {
    timeoutSeconds: 60,
    ffmpeg: program,
    clock: systemClock,
    parsers: unwatched,
  })
  const frames: Frame[] = []
  const spots: Frame[] = []
  try {
    for await (const frame of video.frames()) frames.push(frame)
    for await (const frame of video.spotCheck?.() ?? []) spots.push(frame)
  } finally {
    await video.close()
  }
  return { ...video, frames, spots }
}

/** The colors near the corners: top left, top right, bottom left, bottom right, as 0 or 1 for red, green and blue. */
function corners({ pixels, width, height }: Frame): string {
  const at = (x: number, y: number) =>
    [0, 1, 2].map((channel) => ((pixels[(y * width + x) * 3 + channel] as number) > 100 ? 1 : 0)).join('')
  return [at(9, 9), at(width - 10, 9), at(9, height - 10), at(width - 10, height - 10)].join(' ')
}
const UPRIGHT = '100 010 001 111'
const TURNED = '010 111 100 001'
const times = (frames: readonly Frame[]) => frames.map(({ seconds }) => Number(seconds.toFixed(2)))

describe.each([
  ['with ffmpeg', ffmpeg],
  ['without ffmpeg', null],
])('a codec whose keyframes are pictures, %s', (where, program) => {
  it.skipIf(where === 'with ffmpeg' && ffmpeg === null).each([
    ['vp8.webm', 'webm', 'vp8', [0, 0.5, 1, 1.5], 160, UPRIGHT],
    ['av1.mp4', 'mp4', 'av1', [0, 0.5, 1, 1.5], 160, UPRIGHT],
    ['rotated-av1.mp4', 'mp4', 'av1', [0, 0.5, 1, 1.5], 120, TURNED],
    ['mjpeg.mkv', 'matroska', 'V_MJPEG', [0.1, 0.4, 0.8, 1.2, 1.6], 160, UPRIGHT],
    ['rotated-mjpeg.mov', 'quicktime', 'jpeg', [0.1, 0.4, 0.8, 1.2, 1.6], 120, TURNED],
  ])('%s', async (name, format, codec, expected, width, colors) => {
    const video = await read(at(name), program, 5)
    expect(video).toMatchObject({ format, facts: { codec, seconds: 2, framesPerSecond: expect.closeTo(10, 1) } })
    expect(video.frames.map((frame) => [frame.width, corners(frame)])).toEqual(expected.map(() => [width, colors]))
    expect(times(video.frames)).toHaveLength(expected.length)
    expect(times(video.frames)[0]).toBeLessThanOrEqual(0.2)
  })
})

it.each([
  ['av1.mp4', 'av01'],
  ['h264.mp4', 'avc1'],
])('a small %s that claims frames of 8K is refused before one is decoded', async (name, entry) => {
  const bytes = await fs.readFile(at(name))
  // Width and height of the sample entry: ISO/IEC 14496-12, 12.1.3.
  const sizeAt = bytes.lastIndexOf(entry) + 28
  bytes.writeUInt16BE(7680, sizeAt)
  bytes.writeUInt16BE(4320, sizeAt + 2)
  const folder = await folderForTest()
  await fs.writeFile(path.join(folder, name), bytes)
  await expect(read(path.join(folder, name), ffmpeg)).rejects.toMatchObject({
    reason: 'media-too-complex',
    message: `The video claims 7680x4320 px in ${bytes.length} bytes.`,
  })
})

describe.skipIf(ffmpeg === null)('codecs that ffmpeg decodes (skipped where there is none)', () => {
  it.each([
    ['h264.mp4', at('h264.mp4'), 160, UPRIGHT],
    ['a video turned by its container', at('rotated-h264.mp4'), 120, TURNED],
  ])('%s: upright frames, a step apart', async (_what, file, width, colors) => {
    const { frames } = await read(file, ffmpeg)
    expect(times(frames)).toEqual([0, 0.2, 0.4, 0.6, 0.8, 1, 1.2, 1.4, 1.6, 1.8])
    expect(new Set(frames.map((frame) => `${frame.width} ${corners(frame)}`))).toEqual(new Set([`${width} ${colors}`]))
  })

  it('returns the same frames each time', async () => {
    expect((await read(at('h264.mp4'), ffmpeg)).frames).toEqual((await read(at('h264.mp4'), ffmpeg)).frames)
  })

  it('reports the true times of a variable frame rate', async () => {
    const { facts, frames } = await read(bad('variable-frame-rate.mp4'), ffmpeg)
    expect(facts?.hasVariableRate).toBe(true)
    // Ten frames 0.05 s apart, then one every 0.4 s; the least step is 0.2 s.
    expect(times(frames).slice(0, 5)).toEqual([0, 0.2, 0.4, 0.6, 0.9])
  })

  it('takes a picture that is shown for long as often as its duration asks', async () => {
    const file = path.join(await folderForTest(), 'held.mp4')
    const colors = ['red', 'blue', 'red'].flatMap((color) => ['-f', 'lavfi', '-i', `color=${color}:s=64x64:r=10:d=1`])
    // The one blue picture that is kept stays for 30 s.
    const held = "concat=n=3,select='not(between(n,11,19))',setpts='if(gt(N,10),N+300,N)/10/TB'"
    await make(...colors, '-filter_complex', held, '-fps_mode', 'vfr', '-c:v', 'libx264', file)
    const isBlue = ({ pixels }: Frame) => (pixels[2] as number) > 200
    const { frames, spots } = await read(file, ffmpeg)
    expect(frames.filter(isBlue)).toEqual([])
    expect(spots.some(isBlue)).toBe(true)
  })

  it('reads a container that only ffmpeg supports', async () => {
    const { facts, frames } = await read(at('mpeg4.avi'), ffmpeg)
    expect(facts).toBeNull()
    expect(times(frames)).toEqual([0, 0.2, 0.4, 0.6, 0.8, 1, 1.2, 1.4, 1.6, 1.8])
    expect(corners(frames[0] as Frame)).toBe(UPRIGHT)
  })

  it.each([
    ['pictures', 'v'],
    ['sound', 'a'],
  ])('refuses such a container with two tracks of %s, of which players may choose either', async (_, kind) => {
    const file = path.join(await folderForTest(), 'two.avi')
    const sources = ['testsrc=s=64x64:d=1', 'sine=d=1'].flatMap((source) => ['-f', 'lavfi', '-i', source])
    const both = ['-map', '0:v', '-map', '1:a', '-map', kind === 'v' ? '0:v' : '1:a']
    await make(...sources, ...both, '-c:v', 'mpeg4', '-c:a', 'pcm_s16le', file)
    await expect(read(file, ffmpeg)).rejects.toThrow(withReason('media-unsupported', 'several tracks'))
  })

  it('refuses a second recording behind the first in Ogg', async () => {
    const file = path.join(await folderForTest(), 'chain.ogv')
    const sources = ['testsrc=s=64x64:d=1', 'sine=d=1'].flatMap((source) => ['-f', 'lavfi', '-i', source])
    await make(...sources, '-c:v', 'libtheora', '-c:a', 'libvorbis', file)
    expect((await read(file, ffmpeg)).frames.length).toBeGreaterThan(0)
    await fs.appendFile(file, await fs.readFile(file))
    await expect(read(file, ffmpeg)).rejects.toThrow(withReason('media-unsupported', 'several recordings'))
  })

  it('refuses an MPEG-TS that goes over to other tracks in its middle', async () => {
    await expect(read(await lateTracks(), ffmpeg)).rejects.toThrow(withReason('media-unsupported', 'several tracks'))
  })

  it('refuses an MP4 whose first pictures are those of chapters to another track, which only some players show', async () => {
    const file = path.join(await folderForTest(), 'chapters.mp4')
    const sources = ['red', 'blue'].flatMap((color) => ['-f', 'lavfi', '-i', `color=${color}:s=64x64:d=1`])
    const flags = ['-disposition:v:0', 'default', '-disposition:v:1', '0']
    await make(...sources, '-map', '0', '-map', '1', '-c:v', 'libx264', ...flags, file)
    expect((await read(file, ffmpeg)).frames[0]?.pixels[0]).toBeGreaterThan(200)
    const bytes = await fs.readFile(file)
    // The edit list of the second track becomes a list of references; 1, its number of edits, is one of them.
    bytes.write('tref', bytes.lastIndexOf('edts'))
    bytes.write('chap', bytes.lastIndexOf('elst'))
    await fs.writeFile(file, bytes)
    await expect(read(file, ffmpeg)).rejects.toThrow(withReason('media-unsupported', 'several tracks'))
  })

  it('reads MPEG-2 in MPEG-TS', async () => {
    const file = path.join(await folderForTest(), 'broadcast.ts')
    await make('-i', at('h264.mp4'), '-c:v', 'mpeg2video', '-r', '25', file)
    expect(corners((await read(file, ffmpeg)).frames[0] as Frame)).toBe(UPRIGHT)
  })
})

it.each([
  ['an H.264 clip', at('h264.mp4')],
  ['an AVI', at('mpeg4.avi')],
])('%s without ffmpeg is unsupported, with the fix', async (_what, file) => {
  await expect(read(file, null)).rejects.toThrow(withReason('media-unsupported', /ffmpeg.*ATTESTD_FFMPEG/))
})

it.each([
  ['as stored', [1, 0, 0, 1], true],
  ['upside down', [-1, 0, 0, -1], true],
  ['on its side', [0, 1, -1, 0], true],
  ['larger', [2, 0, 0, 2], true],
  ['mirrored', [-1, 0, 0, 1], false],
  ['mirrored on its side', [0, 1, 1, 0], false],
  ['turned by an odd angle', [0.7, 0.7, -0.7, 0.7], false],
])('AV1 in an MP4 that is shown %s is judged as players agree on it, or refused', async (_, matrix, isTaken) => {
  const bytes = await fs.readFile(at('av1.mp4'))
  const from = bytes.indexOf('tkhd') + 44
  for (const [nth, value] of matrix.entries())
    bytes.writeInt32BE(Math.round(value * 65_536), from + [0, 4, 12, 16][nth]!)
  const file = path.join(await folderForTest(), 'shown.mp4')
  await fs.writeFile(file, bytes)
  if (isTaken) expect((await read(file, null)).frames.length).toBeGreaterThan(0)
  else await expect(read(file, null)).rejects.toThrow(withReason('media-unsupported', 'mirrored'))
})

it.each([
  ['only sound', at('sound-only.mp4'), 'media-type-mismatch'],
  ['a track that claims 20,000 pixels a side', at('huge.mp4'), 'media-too-complex'],
  ['an index that is cut off', bad('truncated-header.mp4'), 'media-corrupt'],
  ['no frame', bad('zero-frame.mp4'), 'media-empty'],
  ['encryption', bad('encrypted.mp4'), 'media-unsupported'],
])('is refused by name: %s', async (_what, file, reason) => {
  await expect(read(file, ffmpeg)).rejects.toMatchObject({ reason })
})

it('reads the available part of a truncated file', async () => {
  const whole = await read(at('vp8.webm'), null)
  const cut = await read(bad('truncated.webm'), null)
  expect(cut.frames.length).toBeGreaterThan(0)
  expect(whole.frames.length).toBeGreaterThan(cut.frames.length)
})

it('does not wait for the time of a frame that has none', async () => {
  const folder = await folderForTest()
  const program = path.join(folder, 'ffmpeg')
  const line = (time: string) => `printf 'frame:0 pts:${time} pts_time:${time}\\nkept=1\\n' >&3\n`
  const picture = `printf 'P6\\n2 1\\n255\\nabcdef'\n`
  await fs.writeFile(program, `#!/bin/sh\n${line('1.5')}${picture}${line('NOPTS')}${picture}`, { mode: 0o755 })
  const { frames } = await read(at('h264.mp4'), program)
  expect(times(frames).slice(0, 2)).toEqual([1.5, 1.5])
})

describe.skipIf(ffmpeg === null)('a large Matroska', () => {
  it.each([
    ['libx264', 'that states a short length', [], 1000],
    ['libx264', 'that states none', ['-live', '1'], null],
    ['libvpx', 'that states none', ['-live', '1', '-cluster_time_limit', '50'], null],
  ])('of %s %s is looked at from its beginning to its end', async (codec, _, options, statedMs) => {
    const file = path.join(await folderForTest(), 'large.mkv')
    const source = ['-f', 'lavfi', '-i', 'testsrc2=s=160x120:r=10:d=40', '-c:v', codec, '-g', '20']
    await make(...source, ...options, file)
    const bytes = await fs.readFile(file)
    if (statedMs !== null) bytes.writeDoubleBE(statedMs, bytes.indexOf('\x44\x89\x88', 0, 'latin1') + 3)
    await fs.writeFile(file, bytes)
    // In an element that is passed over.
    await fs.appendFile(file, Buffer.from('ec0100000004000000', 'hex'))
    await fs.truncate(file, bytes.length + 9 + 64 * 1024 ** 2)
    const { facts, frames, spots } = await read(file, ffmpeg)
    expect(facts?.seconds).toBeCloseTo(40, 0)
    expect(Math.max(...times(frames))).toBeGreaterThan(30)
    expect(codec === 'libvpx' || Math.max(...times(spots)) > 20).toBe(true)
  })
})

it('refuses an MP4 whose edit list hides pictures, which no player shows', async () => {
  const file = path.join(await folderForTest(), 'hidden.mp4')
  const whole = await fs.readFile(at('av1.mp4'))
  // Half a second of two, in milliseconds.
  whole.writeUInt32BE(500, whole.indexOf('elst') + 12)
  await fs.writeFile(file, whole)
  await expect(read(file, null)).rejects.toThrow(withReason('media-unsupported', /edit list hides/))
})
