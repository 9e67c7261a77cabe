import fs from 'node:fs/promises'
import type { MediaType } from '../../core/media-types.js'
import { cleanText } from '../../core/text.js'
import { wavFile } from '../../formats/wav-file.js'
import type { ReaderTools } from '../contract/medium-reader.js'
import type { Picture } from '../contract/picture.js'

/** Longest side of a picture where nobody asks for another, px. */
const MAX_SIDE = 1280
/** Sound as it is written: enough to judge a voice by ear, Hz. */
const SAMPLE_RATE = 24_000
/** Longest text, UTF-16 units. */
const MAX_CHARACTERS = 20_000
/** Frames of a video, in rows of so many, each so wide, px. */
const FRAMES = 9
const COLUMNS = 3
const FRAME_WIDTH = 420
const JPEG = { quality: 85 } as const

/** Writes what a person may see: decoded and encoded again, none of the file's bytes. @throws AttestdError media-* */
export async function writeView(
  file: string,
  {
    mediaType,
    out,
    side = MAX_SIDE,
  }: { readonly mediaType: MediaType; readonly out: string; readonly side?: number | undefined },
  tools: ReaderTools,
): Promise<void> {
  await fs.writeFile(out, await viewOf(file, mediaType, side, tools))
}

async function viewOf(file: string, mediaType: MediaType, side: number, tools: ReaderTools): Promise<string | Buffer> {
  if (mediaType === 'text') {
    const { readTextFile } = await import('../text/decode.js')
    return cleanText((await readTextFile(file)).text, MAX_CHARACTERS)
  }
  if (mediaType === 'audio') {
    const { readRecording } = await import('../audio/recording.js')
    return wavOf((await readRecording(file, SAMPLE_RATE, tools)).samples)
  }
  return mediaType === 'image' ? pictureOf(file, side, tools) : sheetOf(file, tools)
}

async function pictureOf(file: string, side: number, tools: ReaderTools): Promise<Buffer> {
  const [{ decodeImage }, { rawImage }] = await Promise.all([
    import('../image/image-decode.js'),
    import('../image/picture.js'),
  ])
  const limits = { width: side, height: side, fit: 'inside', withoutEnlargement: true } as const
  const picture = await decodeImage(file, tools)
  return rawImage(picture).resize(limits).jpeg(JPEG).toBuffer()
}

/** Frames of a video on one sheet, in the order of time. */
async function sheetOf(file: string, tools: ReaderTools): Promise<Buffer> {
  const [{ readFrames }, { asPicture, rawImage }, { imageLibrary }] = await Promise.all([
    import('../video/read-frames.js'),
    import('../image/picture.js'),
    import('../image/image-library.js'),
  ])
  const video = await readFrames(file, FRAMES, tools)
  const frames: (Picture & { readonly seconds: number })[] = []
  try {
    for await (const frame of video.frames()) {
      frames.push({ ...(await asPicture(rawImage(frame).resize({ width: FRAME_WIDTH }))), seconds: frame.seconds })
      if (frames.length === FRAMES) break
    }
  } finally {
    await video.close()
  }
  frames.sort((a, b) => a.seconds - b.seconds)
  const cell = Math.max(1, ...frames.map(({ height }) => height))
  const rows = Math.max(1, Math.ceil(frames.length / COLUMNS))
  const create = { width: COLUMNS * FRAME_WIDTH, height: rows * cell, channels: 3, background: '#000000' } as const
  const placed = frames.map(({ height, pixels, width }, nth) => ({
    input: pixels,
    raw: { width, height, channels: 3 as const },
    left: (nth % COLUMNS) * FRAME_WIDTH,
    top: Math.floor(nth / COLUMNS) * cell,
  }))
  return imageLibrary({ create }).composite(placed).jpeg(JPEG).toBuffer()
}

function wavOf(samples: Float32Array): Buffer {
  const clipped = Int16Array.from(samples, (sample) => Math.round(Math.max(-1, Math.min(1, sample)) * 32_767))
  return wavFile(clipped, SAMPLE_RATE)
}
