import fs from 'node:fs/promises'
import { CustomSource, EncodedPacketSink, Input, type InputFormat, type InputVideoTrack } from 'mediabunny'
import { AttestdError, errorText } from '../../core/errors.js'
import { isFirstChosen, severalTracks, shownOtherwise } from '../../formats/first-chosen.js'
import { hasTrackShownOtherwise } from '../../formats/matroska-tracks.js'
import { indexTooLarge, readMp4Index } from '../../formats/mp4-index.js'
import { MAX_FRAME_PIXELS } from '../ffmpeg/run-ffmpeg.js'
import type { VideoFormat } from './video-format.js'

/** Most bytes that the probe reads in addition to all of a file twice, for its keyframes and its length: the index of hours of MP4, the clusters of minutes of WebM. */
const MAX_PROBE_BYTES = 96 * 1024 ** 2
/** Most keyframes that are listed; one a second for over half an hour. */
const MAX_KEYFRAMES = 2000
/** Packets from which the frame rate is determined. */
const RATE_PACKETS = 120
/** A frame that stays more than this many times as long as another one makes the rate variable. */
const VARIABLE_RATIO = 1.6

/** What a container states about its first video track. */
export interface VideoFacts {
  /** mediabunny's name (avc, hevc, vp8, vp9, av1, prores), or the container's own. */
  readonly codec: string
  readonly seconds: number
  /** As coded, before rotation, px. */
  readonly width: number
  readonly height: number
  /** Clockwise degrees that make it upright. */
  readonly rotation: 0 | 90 | 180 | 270
  /** Mean of the first packets; 0 where there is one frame. */
  readonly framesPerSecond: number
  readonly hasVariableRate: boolean
  /** Of the whole file, sound included. */
  readonly bitsPerSecond: number
  /** Times of keyframes in presentation order, seconds, at most `MAX_KEYFRAMES`. */
  readonly keyframes: readonly number[]
  /** Whether `keyframes` holds them all. */
  readonly listedAll: boolean
  readonly hasSound: boolean
}

/** An opened container. */
export interface OpenVideo {
  readonly facts: VideoFacts
  /** The coded keyframe shown at a time or before it, with what its decoder needs in addition. @throws AttestdError media-corrupt */
  keyframe(seconds: number): Promise<{ readonly data: Uint8Array; readonly seconds: number }>
  /** RFC 6381 name of the codec with its profile, such as `av01.0.04M.08`; null where it is not known. */
  readonly codecString: string | null
  readonly bytes: number
  /** As of `Mp4Index`; infinite for other containers. */
  readonly editedSeconds: number
  /** As of `Mp4Index`; false for other containers. */
  readonly isMirrored: boolean
  close(): Promise<void>
}

/**
 * Opens a container and reads what it states, with a cap on bytes; nothing is decoded. 2 to 7 ms are usual; a
 * hostile one can send its reader around for ever, so it is for use under a `ParserWatch`.
 * @throws AttestdError media-corrupt, media-empty (no frame), media-unsupported (encrypted), media-type-mismatch (no pictures in it), media-too-complex
 */
export async function openVideo(file: string, format: VideoFormat & { reader: InputFormat }): Promise<OpenVideo> {
  const index = format.demuxer === 'mov' ? await readMp4Index(file) : null
  if (index?.isProtected) throw encrypted()
  if (format.demuxer === 'matroska' && (await hasTrackShownOtherwise(file))) throw shownOtherwise()
  const handle = await fs.open(file, 'r')
  const { size } = await handle.stat()
  // A container without any track is empty, unless that is for want of its index.
  const noTrack = index?.isWhole
    ? noFrame()
    : new AttestdError('media-corrupt', 'The video has no track that can be read.')
  let allowance = 2 * size + MAX_PROBE_BYTES
  const source = new CustomSource({
    getSize: () => size,
    read: async (start, end) => {
      allowance -= end - start
      // A hostile container can send its reader anywhere.
      if (allowance < 0) throw indexTooLarge()
      const bytes = new Uint8Array(end - start)
      const { bytesRead } = await handle.read(bytes, 0, bytes.length, start)
      if (bytesRead < bytes.length) throw new Error('the file ends early')
      return bytes
    },
    prefetchProfile: 'fileSystem',
  })
  const input = new Input({ source, formats: [format.reader] })
  const close = async () => {
    input.dispose()
    await handle.close()
  }
  try {
    const tracks = await input.getVideoTracks()
    if (tracks[1] !== undefined && index?.isChapterTrack(tracks[0]?.id as number)) throw severalTracks()
    const opened = await open(input, size, noTrack)
    if (index?.isCutOut(opened.facts.width, opened.facts.height)) throw shownOtherwise()
    // What is read from here on is the pictures themselves.
    allowance = Number.POSITIVE_INFINITY
    return {
      ...opened,
      bytes: size,
      editedSeconds: index?.editedSeconds ?? Infinity,
      isMirrored: index?.isMirrored ?? false,
      close,
    }
  } catch (error) {
    await close()
    throw asCorrupt(error)
  }
}

async function open(
  input: Input,
  fileBytes: number,
  noTrack: AttestdError,
): Promise<Pick<OpenVideo, 'codecString' | 'facts' | 'keyframe'>> {
  const tracks = await input.getVideoTracks()
  const track = tracks[0]
  if (track === undefined) {
    if ((await input.getTracks()).length === 0) throw noTrack
    throw noPictures()
  }
  const soundTracks = await input.getAudioTracks()
  if (!(await isFirstChosen(tracks)) || !(await isFirstChosen(soundTracks))) throw severalTracks()
  if (await track.canBeTransparent())
    throw new AttestdError('media-unsupported', 'The video is transparent: what is behind it is not known.')
  const [width, height] = [await track.getCodedWidth(), await track.getCodedHeight()]
  if (width * height > MAX_FRAME_PIXELS) {
    throw new AttestdError(
      'media-too-complex',
      `The video is ${width}x${height} px; at most ${MAX_FRAME_PIXELS} pixels are decoded.`,
    )
  }
  const sink = new EncodedPacketSink(track)
  const first = await sink.getFirstPacket({ metadataOnly: true })
  if (first === null) throw noFrame()
  const pace = await paceOf(sink)
  const keyframes = await listKeyframes(sink)
  const seconds = await secondsOf(input, track)
  const facts: VideoFacts = {
    codec: await codecName(track),
    seconds,
    width,
    height,
    rotation: await track.getRotation(),
    ...pace,
    bitsPerSecond: seconds > 0 ? (fileBytes * 8) / seconds : 0,
    ...keyframes,
    hasSound: soundTracks.length > 0,
  }
  return {
    facts,
    codecString: await track.getCodecParameterString(),
    async keyframe(seconds) {
      try {
        const packet = (await sink.getKeyPacket(seconds)) ?? (await sink.getFirstKeyPacket())
        if (packet === null) throw new AttestdError('media-corrupt', 'The video contains no keyframe.')
        return { data: packet.data, seconds: packet.timestamp }
      } catch (error) {
        throw asCorrupt(error)
      }
    },
  }
}

/** The length by the track's own packets, since a stated one may be false, and recordings of browsers state none. */
async function secondsOf(input: Input, track: InputVideoTrack): Promise<number> {
  const seconds = (await input.computeDuration([track])) - Math.max(0, await input.getFirstTimestamp([track]))
  return Number.isFinite(seconds) && seconds > 0 ? seconds : 0
}

async function paceOf(sink: EncodedPacketSink): Promise<Pick<VideoFacts, 'framesPerSecond' | 'hasVariableRate'>> {
  const times: number[] = []
  for await (const { timestamp } of sink.packets(undefined, undefined, { metadataOnly: true })) {
    times.push(timestamp)
    if (times.length === RATE_PACKETS) break
  }
  times.sort((a, b) => a - b)
  const gaps = times.slice(1).map((time, index) => time - (times[index] as number))
  const shown = gaps.filter((gap) => gap > 0)
  const span = (times.at(-1) as number) - (times[0] as number)
  return {
    framesPerSecond: span > 0 ? gaps.length / span : 0,
    hasVariableRate: shown.length > 1 && Math.max(...shown) > VARIABLE_RATIO * Math.min(...shown),
  }
}

/** Keyframe by keyframe; a container without an index of them is read through. */
async function listKeyframes(sink: EncodedPacketSink): Promise<Pick<VideoFacts, 'keyframes' | 'listedAll'>> {
  const keyframes: number[] = []
  let packet = await sink.getFirstKeyPacket({ metadataOnly: true })
  while (packet !== null && keyframes.length < MAX_KEYFRAMES) {
    keyframes.push(packet.timestamp)
    packet = await sink.getNextKeyPacket(packet, { metadataOnly: true })
  }
  return { keyframes, listedAll: packet === null }
}

async function codecName(track: InputVideoTrack): Promise<string> {
  const codec = await track.getCodec()
  if (codec !== null) return codec
  const own = await track.getInternalCodecId()
  return own instanceof Uint8Array ? Buffer.from(own).toString('latin1') : String(own ?? 'unknown')
}

function asCorrupt(error: unknown): AttestdError {
  if (error instanceof AttestdError) return error
  const text = errorText(error).split('\n')[0]?.slice(0, 200)
  return new AttestdError('media-corrupt', `The video cannot be read: ${text}`, { cause: error })
}

/** Of a file that was declared a video. */
export const noPictures = (): AttestdError =>
  new AttestdError('media-type-mismatch', 'Declared a video, but there are no pictures in it.')

const noFrame = (): AttestdError => new AttestdError('media-empty', 'The video contains no frame.')

const encrypted = (): AttestdError => new AttestdError('media-unsupported', 'The video is encrypted.')
