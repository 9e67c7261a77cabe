import { stat } from 'node:fs/promises'
import { imageSize } from 'image-size'
import { readAt } from '../core/files.js'
import type { MediaType } from '../core/media-types.js'
import { statedSeconds } from './sound-length.js'

/** Pictures of more are costly: decoding takes as long as the network (`npm run bench:cost`). */
const COSTLY_PIXELS = 24_000_000
/** Recordings of more are costly, seconds. */
const COSTLY_SECONDS = 30
/** Recordings that do not state their length, by their size: half a minute of MP3 at 128 kbit/s. */
const COSTLY_SOUND_BYTES = 480_000

/**
 * Whether a file takes longer than most of its kind to be scored, by what its header states: a few reads and no decoder, so
 * it can be asked where hostile bytes must not be decoded. A false answer costs a place in a line, never a score.
 */
export async function isCostlyFile(file: string, mediaType: MediaType): Promise<boolean> {
  switch (mediaType) {
    case 'text':
      return false
    case 'image':
      return ((await statedPixels(file)) ?? Number.POSITIVE_INFINITY) > COSTLY_PIXELS
    case 'audio': {
      const seconds = await statedSeconds(file)
      return seconds === null ? (await stat(file)).size > COSTLY_SOUND_BYTES : seconds > COSTLY_SECONDS
    }
    case 'video_short':
    case 'video_long':
      return true
  }
}

/** In which the size is sought, bytes: of a JPEG it stands behind tags, profile and thumbnail. The more, the longer it takes. */
const HEAD_BYTES = 4096
const JPEG_HEAD_BYTES = 128 * 1024

/**
 * Pixels of a picture by its header alone. As the file states it, so not to be relied on.
 * @returns null where the size is not found, or is none
 */
export async function statedPixels(file: string): Promise<number | null> {
  const head = await readAt(file, 0, JPEG_HEAD_BYTES)
  try {
    const { width, height } = imageSize(head[0] === 0xff ? head : head.subarray(0, HEAD_BYTES))
    return width * height || null
  } catch {
    return null
  }
}
