import fs from 'node:fs/promises'
import sharp, { type Sharp } from 'sharp'
import { packagePath } from '../../src/core/files.js'
import type { MediaType } from '../../src/core/media-types.js'
import { ffmpeg, make } from '../support/ffmpeg-tool.js'
import { silentFlac } from '../support/silent-flac.js'
import { rawWav } from '../support/wav-file.js'
import { manyFramesGif, manyFramesWebp, manyScans, sharedStrips } from './crafted-pictures.js'

/** What a file that costs much is to have at most, bytes. */
export const MOST_BYTES = 100_000
/** Sides of square pictures that are tried, px; the first is 48 megapixels, the most that are decoded of so few bytes. */
const SIDES = [6900, 4890, 4000, 3000]
const LARGEST = 6900

/** A file that costs much for its bytes. */
export interface CraftedFile {
  readonly name: string
  readonly mediaType: MediaType
  /** @returns false where it cannot be made here */
  make(file: string): Promise<boolean>
}

const whole = (
  name: string,
  mediaType: MediaType,
  bytes: () => Uint8Array | string | Promise<Uint8Array>,
): CraftedFile => ({
  name,
  mediaType,
  async make(file) {
    await fs.writeFile(file, await bytes())
    return true
  },
})

const byFfmpeg = (name: string, mediaType: MediaType, source: string[], codec: string[]): CraftedFile => ({
  name,
  mediaType,
  async make(file) {
    if (ffmpeg === null) return false
    await make(...source, ...codec, file)
    return true
  },
})

/** The largest frame that is decoded of so few bytes, px. */
const FRAME = [4890, 3680] as const
const gray = (rate: number, seconds: number) => lavfi(`color=gray:s=${FRAME.join('x')}:r=${rate}:d=${seconds}`)

const FAST_AV1 = ['-c:v', 'libaom-av1', '-cpu-used', '8', '-usage', 'realtime', '-crf', '60']

/** The largest blurred photograph of a format that stays below the limit. */
const picture = (name: string, encode: (image: Sharp) => Sharp): CraftedFile => ({
  name,
  mediaType: 'image',
  async make(file) {
    for (const side of SIDES) {
      const bytes = await encode(await photograph(side)).toBuffer()
      if (bytes.length >= MOST_BYTES) continue
      await fs.writeFile(file, bytes)
      return true
    }
    return false
  },
})

/** Few waves, so that little is left to encode. */
async function photograph(side: number): Promise<Sharp> {
  const small = await sharp(packagePath('samples', 'coffee.jpg')).resize(40, 40, { fit: 'fill' }).png().toBuffer()
  return sharp(small).resize(side, side, { fit: 'fill', kernel: 'cubic' })
}

/** Columns of gray, each row the same: what deflate and LZW make least of. */
function columns(side: number, levels: number): Sharp {
  const row = Buffer.from(Array.from({ length: side }, (_, x) => (Math.floor(x / 97) * 37) % levels))
  const data = Buffer.concat(Array<Buffer>(side).fill(row))
  return sharp(data, { raw: { width: side, height: side, channels: 1 } })
}

const drawn = (name: string, encode: () => Sharp) => whole(name, 'image', () => encode().toBuffer())

const lavfi = (source: string) => ['-f', 'lavfi', '-i', source]
const HISS = (seconds: number, level: number) => lavfi(`anoisesrc=d=${seconds}:a=${level}:r=48000`)
const silence = (seconds: number, rate: number, layout = 'mono') =>
  lavfi(`anullsrc=r=${rate}:cl=${layout}:d=${seconds}`)
const opus = (rate: string, ...more: string[]) => ['-c:a', 'libopus', '-b:a', rate, '-frame_duration', '60', ...more]
const speech = ['-stream_loop', '-1', '-i', packagePath('samples', 'inaugural-address.ogg')]
const x264 = (...more: string[]) => [
  '-c:v',
  'libx264',
  '-preset',
  'veryfast',
  '-crf',
  '45',
  '-pix_fmt',
  'yuv420p',
  ...more,
]

/** For each format what costs most by the byte, as far as it was found. */
export const craftedFiles: readonly CraftedFile[] = [
  byFfmpeg('near-silent-opus.ogg', 'audio', HISS(600, 0.00001), ['-ac', '1', ...opus('500')]),
  byFfmpeg('hiss-opus.ogg', 'audio', HISS(220, 0.3), ['-ac', '1', ...opus('3000')]),
  byFfmpeg('speech-opus.ogg', 'audio', speech, ['-t', '120', '-ac', '1', ...opus('6000')]),
  byFfmpeg('eight-opus.ogg', 'audio', silence(600, 48_000, '7.1'), opus('500', '-mapping_family', '1')),
  byFfmpeg('silent-vorbis.ogg', 'audio', silence(780, 48_000), ['-c:a', 'libvorbis', '-q:a', '0']),
  byFfmpeg('eight-vorbis.ogg', 'audio', silence(900, 48_000, '7.1'), ['-c:a', 'libvorbis', '-q:a', '0']),
  byFfmpeg('silent.flac', 'audio', silence(540, 16_000), ['-c:a', 'flac']),
  whole('eight.flac', 'audio', () => silentFlac(2000)),
  byFfmpeg('long.mp3', 'audio', silence(99, 16_000), ['-c:a', 'libmp3lame', '-b:a', '8k']),
  whole('telephone.wav', 'audio', () => rawWav(Buffer.alloc(99_000, 0x55), { rate: 4000, tag: 6, bytes: 1 })),
  byFfmpeg('silent-aac.m4a', 'audio', silence(1200, 8000), ['-c:a', 'aac', '-b:a', '1k']),
  drawn('columns.png', () => columns(LARGEST, 251).png({ compressionLevel: 9 })),
  whole('scans.jpg', 'image', () => manyScans(LARGEST)),
  whole('strips.tif', 'image', () => sharedStrips(LARGEST)),
  whole('frames.gif', 'image', () => manyFramesGif(LARGEST, 6500)),
  whole('frames.webp', 'image', () => manyFramesWebp(LARGEST, 900)),
  drawn('bilevel.png', () => columns(LARGEST, 2).threshold(1).png({ palette: true, colours: 2, compressionLevel: 9 })),
  drawn('columns.gif', () => columns(LARGEST, 4).gif()),
  drawn('columns.webp', () => columns(LARGEST, 251).webp({ lossless: true, effort: 0 })),
  picture('large.webp', (image) => image.webp({ quality: 1, effort: 0 })),
  picture('large.jpg', (image) => image.jpeg({ quality: 1 })),
  picture('progressive.jpg', (image) => image.grayscale().jpeg({ quality: 1, progressive: true })),
  whole('middle.avif', 'image', async () => (await photograph(4240)).avif({ quality: 1, effort: 0 }).toBuffer()),
  picture('large.avif', (image) => image.avif({ quality: 1, effort: 0 })),
  picture('large.tif', (image) => image.tiff({ compression: 'jpeg', quality: 1 })),
  byFfmpeg('fast-small.mp4', 'video_short', lavfi('testsrc=s=64x64:r=240:d=20'), x264()),
  byFfmpeg('long.mp4', 'video_short', lavfi('mandelbrot=s=320x240:r=1:maxiter=50'), x264('-t', '600', '-r', '1')),
  byFfmpeg('large.mp4', 'video_short', gray(30, 1), x264()),
  byFfmpeg('large.webm', 'video_short', lavfi('color=gray:s=3840x2160:r=30:d=2'), [
    '-c:v',
    'libvpx',
    '-b:v',
    '50k',
    '-g',
    '5',
  ]),
  byFfmpeg('huge.webm', 'video_short', gray(2, 3), ['-c:v', 'libvpx', '-b:v', '50k', '-g', '1']),
  byFfmpeg('tiny-frames.webm', 'video_short', lavfi('color=gray:s=16x16:r=60:d=25'), [
    '-c:v',
    'libvpx',
    '-b:v',
    '5k',
    '-g',
    '1',
  ]),
  byFfmpeg('large-vp9.webm', 'video_short', gray(10, 2), [
    '-c:v',
    'libvpx-vp9',
    '-b:v',
    '50k',
    '-deadline',
    'realtime',
    '-cpu-used',
    '8',
  ]),
  byFfmpeg('middle-av1.mp4', 'video_short', lavfi('color=gray:s=3840x2160:r=2:d=4'), [...FAST_AV1, '-g', '1']),
  byFfmpeg('frames.avif', 'image', lavfi('color=gray:s=64x64:r=25:d=20'), [...FAST_AV1, '-f', 'avif']),
  whole('words.txt', 'text', () => 'The cat sat on the mat and saw a bird. '.repeat(2500)),
  whole('letters.txt', 'text', () => 'a\u0301 '.repeat(33_000)),
]
