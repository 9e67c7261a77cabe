import { AttestdError, errorText } from '../../core/errors.js'
import { pixelAllowance, type ReaderTools } from '../contract/medium-reader.js'
import { imageLibrary } from '../image/image-library.js'
import { asPicture } from '../image/picture.js'
import { wrapAvif } from './avif-wrap.js'
import { boundedSize, type Frame } from './frame.js'
import type { OpenVideo } from './video-probe.js'

type Coded = (data: Uint8Array, video: Pick<OpenVideo, 'facts' | 'codecString'>) => Buffer

/**
 * Codecs whose keyframes are pictures of a still format, and how each becomes a file of it.
 *
 * These never go to ffmpeg, even where there is one: the score of such a video must not depend on what is installed, nor
 * on its version. The price is that their other frames are not looked at.
 */
const PICTURE_OF_KEYFRAME: Readonly<Record<string, Coded>> = {
  // A lossy WebP is one VP8 keyframe (RFC 9649).
  vp8: (data) => wrapWebp(data),
  av1: (data, { facts, codecString }) => wrapAvif(data, codecString ?? '', facts.width, facts.height),
  // Motion JPEG, by the names of MP4, QuickTime and Matroska.
  jpeg: (data) => Buffer.from(data),
  mjpa: (data) => Buffer.from(data),
  V_MJPEG: (data) => Buffer.from(data),
}

/** Whether frames of this codec are decoded without ffmpeg. */
export const hasPictureKeyframes = (codec: string): boolean => Object.hasOwn(PICTURE_OF_KEYFRAME, codec)

/** Decodes keyframes, evenly spread, without broken ones. @throws media-corrupt where none is left, detector-timeout */
export async function* keyframePictures(
  video: OpenVideo,
  maxFrames: number,
  { timeoutSeconds, clock, parsers }: Pick<ReaderTools, 'timeoutSeconds' | 'clock' | 'parsers'>,
): AsyncGenerator<Frame, void, undefined> {
  const { facts } = video
  const until = clock.monotonic() + timeoutSeconds * 1000
  const allowed = Math.floor(pixelAllowance(video.bytes, true) / (facts.width * facts.height))
  let failure: unknown
  let count = 0
  for (const time of new Set(keyframeTimes(facts, Math.max(1, Math.min(maxFrames, allowed))))) {
    if (clock.monotonic() > until) throw new AttestdError('detector-timeout', 'Decoding took longer than its limit.')
    try {
      const { data, seconds } = await parsers.during(() => video.keyframe(time))
      yield { ...(await decode(data, video)), seconds: Math.max(0, seconds) }
      count += 1
    } catch (error) {
      failure ??= error
    }
  }
  if (count > 0) return
  throw new AttestdError('media-corrupt', `No frame can be decoded: ${wordsOf(failure)}`, { cause: failure })
}

/** Times of the keyframes to take; where not all are listed, of those nearest to evenly spread times. */
function keyframeTimes({ keyframes, listedAll, seconds }: OpenVideo['facts'], maxFrames: number): number[] {
  if (!listedAll) return Array.from({ length: maxFrames }, (_, index) => ((index + 0.5) / maxFrames) * seconds)
  if (keyframes.length <= maxFrames) return [...keyframes]
  return Array.from(
    { length: maxFrames },
    (_, index) => keyframes[Math.floor(((index + 0.5) / maxFrames) * keyframes.length)] as number,
  )
}

async function decode(data: Uint8Array, video: OpenVideo): Promise<Omit<Frame, 'seconds'>> {
  const { facts } = video
  const picture = (PICTURE_OF_KEYFRAME[facts.codec] as Coded)(data, video)
  const size = boundedSize(facts.width, facts.height)
  const options = { limitInputPixels: facts.width * facts.height, failOn: 'error', pages: 1 } as const
  return asPicture(
    imageLibrary(picture, options)
      .resize(size.width, size.height, { fit: 'fill', kernel: 'lanczos3' })
      .rotate(facts.rotation)
      .flatten({ background: '#ffffff' })
      .removeAlpha(),
  )
}

/** RIFF container with the one chunk of a lossy picture. */
function wrapWebp(frame: Uint8Array): Buffer {
  const padding = frame.length % 2
  const head = Buffer.alloc(20)
  head.write('RIFF', 0, 'latin1')
  head.writeUInt32LE(4 + 8 + frame.length + padding, 4)
  head.write('WEBPVP8 ', 8, 'latin1')
  head.writeUInt32LE(frame.length, 16)
  return Buffer.concat([head, frame, Buffer.alloc(padding)])
}

const wordsOf = (error: unknown): string => (errorText(error).split('\n')[0] ?? '').slice(0, 200)
