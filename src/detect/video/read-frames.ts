import fs from 'node:fs/promises'
import { AttestdError, isAbstention } from '../../core/errors.js'
import { isChained } from '../../formats/ogg.js'
import { pixelAllowance, type ReaderTools } from '../contract/medium-reader.js'
import { spotPlaces } from '../contract/spot-places.js'
import { walkPackets } from '../ffmpeg/walk-packets.js'
import { ffmpegFrames } from './ffmpeg-frames.js'
import type { Frame } from './frame.js'
import { type PlanFacts, planFrames, planSpotCheck, SPOTS } from './frame-plan.js'
import { hasPictureKeyframes, keyframePictures } from './keyframe-pictures.js'
import { sniffVideoFormat, type VideoFormat } from './video-format.js'
import { noPictures, type OpenVideo, openVideo, type VideoFacts } from './video-probe.js'

/** An opened video: what it is, and its planned frames. */
export interface VideoFrames {
  readonly format: string
  /** Null where the container can only be read by ffmpeg. */
  readonly facts: VideoFacts | null
  /** False where there is none for sure. */
  readonly hasSound: boolean
  /** In the order of time, decoded while they are asked for; once only. */
  frames(): AsyncIterable<Frame>
  /** Pictures from places that the maker of the file could not choose, after `frames`; missing where keyframes alone are decoded. */
  readonly spotCheck?: () => AsyncIterable<Frame>
  close(): Promise<void>
}

/** Encoders hide less, to begin at a keyframe or to end with the sound. */
const HIDDEN_SECONDS = 1
/** How a file is refused in which there is another track than of pictures, or none. */
const NO_PICTURES = ['media-type-mismatch', 'media-corrupt']
/** Taken for the size of frames that is not known before one is decoded. */
const ASSUMED = { width: 1920, height: 1080 }

/** Opens a video and plans which frames are decoded. @throws AttestdError media-* */
export async function readFrames(file: string, maxFrames: number, tools: ReaderTools): Promise<VideoFrames> {
  const format = await sniffVideoFormat(file)
  // Players play one after the other, ffmpeg the first.
  if (format.demuxer === 'ogg' && (await isChained(file)))
    throw new AttestdError('media-unsupported', 'The file holds several recordings.')
  const video = isRead(format) ? await tools.parsers.during(() => openRead(file, format)) : null
  if (video !== null) await refuseHuge(video)
  if (video !== null && hasPictureKeyframes(video.facts.codec)) {
    if (format.demuxer === 'mov') await refuseHidden(video)
    const frames = () => keyframePictures(video, maxFrames, tools)
    const { facts } = video
    return { format: format.name, facts, hasSound: facts.hasSound, frames, close: () => video.close() }
  }
  await video?.close()
  const { ffmpeg, clock } = tools
  if (ffmpeg === null) throw needsFfmpeg(format, video)
  // Its list of tracks may change anywhere in the file; the reader here takes the first.
  if (video !== null && format.demuxer === 'mpegts') await walkPackets(ffmpeg, file, format.demuxer)
  const segments = planFrames(video?.facts ?? (await ffmpegFacts(ffmpeg, file, format.demuxer)), maxFrames)
  const source = { ffmpeg, file, demuxer: format.demuxer, timeoutMs: tools.timeoutSeconds * 1000, clock }
  // A container may state no length, or a wrong one.
  let seconds = video?.facts.seconds ?? 0
  return {
    format: format.name,
    facts: video?.facts ?? null,
    hasSound: video?.facts.hasSound ?? true,
    async *frames() {
      for await (const frame of ffmpegFrames({ ...source, segments })) {
        seconds = Math.max(seconds, frame.seconds)
        yield frame
      }
    },
    async *spotCheck() {
      yield* ffmpegFrames({ ...source, segments: planSpotCheck(seconds, await spotPlaces(file, SPOTS)) })
    },
    close: async () => {},
  }
}

/** Null for an MPEG-TS in which the reader finds no pictures: it knows none of MPEG-2. @throws as `openVideo` */
async function openRead(file: string, format: Parameters<typeof openVideo>[1]): Promise<OpenVideo | null> {
  try {
    return await openVideo(file, format)
  } catch (error) {
    if (format.demuxer === 'mpegts' && isAbstention(error) && NO_PICTURES.includes(error.reason)) return null
    throw error
  }
}

/** Length and rate of a container that only ffmpeg reads, by its packets, undecoded. @throws as `runFfmpeg`, media-unsupported */
async function ffmpegFacts(ffmpeg: string, file: string, demuxer: string): Promise<PlanFacts> {
  const { pictures } = await walkPackets(ffmpeg, file, demuxer)
  if (pictures === null) throw noPictures()
  const { packets, seconds } = pictures
  const { size } = await fs.stat(file)
  return {
    ...ASSUMED,
    seconds,
    framesPerSecond: seconds > 0 ? packets / seconds : 0,
    bitsPerSecond: seconds > 0 ? (size * 8) / seconds : 0,
    keyframes: [],
    listedAll: false,
  }
}

/** Few bytes that claim large frames: one of them would cost seconds. */
async function refuseHuge({ bytes, close, facts: { height, width } }: OpenVideo): Promise<void> {
  if (width * height <= pixelAllowance(bytes, true)) return
  await close()
  throw new AttestdError('media-too-complex', `The video claims ${width}x${height} px in ${bytes} bytes.`)
}

/** Pictures that the edit list of an MP4 leaves out, or that are mirrored: ffmpeg follows both, the reader here does not. */
async function refuseHidden({ close, editedSeconds, facts: { keyframes, seconds }, isMirrored }: OpenVideo) {
  const first = keyframes[0] ?? 0
  const last = Math.max(seconds + Math.min(0, first), keyframes.at(-1) ?? 0)
  const isHidden = first <= -HIDDEN_SECONDS || last >= editedSeconds + HIDDEN_SECONDS
  if (!isHidden && !isMirrored) return
  await close()
  const what = isHidden ? 'holds pictures that its edit list hides' : 'is shown mirrored, or turned by an odd angle'
  throw new AttestdError('media-unsupported', `The video ${what}.`)
}

const isRead = (format: VideoFormat): format is VideoFormat & { reader: NonNullable<VideoFormat['reader']> } =>
  format.reader !== null

function needsFfmpeg({ name }: VideoFormat, video: OpenVideo | null): AttestdError {
  const what = video === null ? `of type ${name}` : `of type ${name} with ${video.facts.codec}`
  return new AttestdError(
    'media-unsupported',
    `Video ${what} needs ffmpeg, and there is none: install it, or name it in ATTESTD_FFMPEG.`,
  )
}
