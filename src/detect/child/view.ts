import fs from 'node:fs/promises'
import type { MediaType } from '../../core/media-types.js'
import { cleanText } from '../../core/text.js'
import type { ReaderTools } from '../contract/medium-reader.js'
import type { Picture } from '../contract/picture.js'

/** Longest side of a picture, px. */
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
const WAV_HEADER = 44

/**
 * Writes what a person may see of a file: nothing of its bytes, but what was decoded of it, encoded anew.
 * @throws AttestdError media-*
 */
export async function writeView(
  file: string,
  { mediaType, out }: { readonly mediaType: MediaType; readonly out: string },
  tools: ReaderTools,
): Promise<void> {
  if (mediaType === 'text') {
    const { readTextFile } = await import('../text/decode.js')
    await fs.writeFile(out, cleanText((await readTextFile(file)).text, MAX_CHARACTERS))
  } else if (mediaType === 'audio') {
    const { readRecording } = await import('../audio/recording.js')
    await fs.writeFile(out, wavOf((await readRecording(file, SAMPLE_RATE, tools)).samples))
  } else if (mediaType === 'image') {
    const [{ decodeImage }, { rawImage }] = await Promise.all([
      import('../image/image-decode.js'),
      import('../image/picture.js'),
    ])
    const limits = { width: MAX_SIDE, height: MAX_SIDE, fit: 'inside', withoutEnlargement: true } as const
    await fs.writeFile(
      out,
      await rawImage(await decodeImage(file, tools))
        .resize(limits)
        .jpeg(JPEG)
        .toBuffer(),
    )
  } else await fs.writeFile(out, await sheetOf(file, tools))
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

/** 16 bit mono. */
function wavOf(samples: Float32Array): Buffer {
  const wav = Buffer.alloc(WAV_HEADER + 2 * samples.length)
  wav.write('RIFF', 0)
  wav.writeUInt32LE(wav.length - 8, 4)
  wav.write('WAVEfmt ', 8)
  wav.writeUInt32LE(16, 16)
  wav.writeUInt16LE(1, 20)
  wav.writeUInt16LE(1, 22)
  wav.writeUInt32LE(SAMPLE_RATE, 24)
  wav.writeUInt32LE(2 * SAMPLE_RATE, 28)
  wav.writeUInt16LE(2, 32)
  wav.writeUInt16LE(16, 34)
  wav.write('data', 36)
  wav.writeUInt32LE(2 * samples.length, 40)
  for (const [nth, sample] of samples.entries()) {
    wav.writeInt16LE(Math.round(Math.max(-1, Math.min(1, sample)) * 32_767), WAV_HEADER + 2 * nth)
  }
  return wav
}
