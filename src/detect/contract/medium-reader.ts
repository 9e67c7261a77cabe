import type { Clock } from '../../core/clock.js'
import type { ParserWatch } from './parser-watch.js'

/** Most pixels (width * height) of a picture that is decoded, in whichever process. */
export const MAX_PIXELS = 64_000_000
/** Pixels that are decoded of any file, however small. */
const FREE_PIXELS = 48_000_000
/** The same of AVIF and of keyframes of video, whose pixels cost two to three times as much. */
const FREE_COSTLY_PIXELS = 18_000_000
/** Beyond these a file needs a byte for so many pixels: 0.03 bits per pixel, a tenth of what photographs take in the best codecs. */
const PIXELS_PER_BYTE = 250

/** Most pixels that are decoded of a file of this size, so that few bytes never cost seconds. */
export const pixelAllowance = (bytes: number, isCostly: boolean): number =>
  Math.max(isCostly ? FREE_COSTLY_PIXELS : FREE_PIXELS, bytes * PIXELS_PER_BYTE)

/** Limits and tools that a reader works with, the same for every file. */
export interface ReaderTools {
  /** Decoding gives up after this many seconds by itself, before the process is killed. */
  readonly timeoutSeconds: number
  /** Absolute path of ffmpeg; null where there is none. */
  readonly ffmpeg: string | null
  readonly clock: Clock
  /** Under which parsers compute that a crafted file may hold for ever. */
  readonly parsers: ParserWatch
}

export interface FloatInput {
  readonly type: 'float32'
  readonly values: Float32Array
  readonly shape: readonly number[]
}

export type ModelInput =
  | FloatInput
  | { readonly type: 'int64'; readonly values: BigInt64Array; readonly shape: readonly number[] }

/** A piece of the file that the model scores by itself: a crop, a window, a passage. */
export interface Part {
  /** As a person would call it: `top left`, `4.0-8.0 s`, `characters 0-900`. */
  readonly name: string
  readonly inputs: readonly ModelInput[]
}

/** The parts of one file, in a fixed order, made while they are asked for. */
export type Parts = AsyncIterable<Part> | Iterable<Part>

/** A file that was opened and decoded. */
export interface ReadMedia {
  /** One line: what was decoded, such as `jpeg 640x480`. */
  readonly summary: string
  /** Length in the unit of a `by-length` calibration: normalized characters of a text, seconds of a recording. */
  readonly length?: number | undefined
  parts(): Parts
  /** The same content re-encoded in ways that do not change what it is, for the stability probe. */
  variants(): AsyncIterable<{ readonly name: string; readonly parts: Parts }>
  /** What people may see or hear of the same file in addition: a later frame, a channel alone. Missing where there is none of it. */
  readonly others?: ReadMedia['variants']
  /** Pieces in places that the maker of the file could not choose, for which the verdict "real" must hold, too. Missing where all was judged. */
  readonly spotCheck?: ReadMedia['variants']
}

/** Opens a file as the plan of a package states. @throws AttestdError media-* */
export type MediumReader = (file: string) => Promise<ReadMedia>
