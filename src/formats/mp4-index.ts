import { AttestdError } from '../core/errors.js'
import { isoBlocks } from './blocks.js'
import { type FileBytes, withFileBytes } from './file-bytes.js'

/** Largest index that is read, bytes; that of ten hours takes some 30 MB. */
const MAX_INDEX_BYTES = 64 * 1024 ** 2
/** Read behind a name at the end of an index, bytes. */
const ROOM = 96
/** Sample entries of protected tracks: Common Encryption (ISO/IEC 23001-7), Apple's FairPlay. */
const PROTECTED_ENTRIES = ['enca', 'encv', 'drms', 'drmi']
/** A protected entry holds the scheme of its protection a few boxes behind its name. */
const SCHEME = 'sinf'
const SCHEME_WITHIN_BYTES = 1024
/** Of each side, at least this share is kept by cameras and editors: they cut away what is uneven at its ends. */
const LEAST_KEPT = 0.95
/** Each is looked through for its kind. */
const MOST_TRACKS = 64

/**
 * Reads the index of an ISO base media file: the first `moov` of an MP4, M4A or QuickTime file.
 * @returns null where there is none: another container, or a broken file
 * @throws AttestdError media-too-complex
 */
export const readMp4Index = (file: string): Promise<Mp4Index | null> =>
  withFileBytes(file, (bytes) => mp4IndexIn(bytes, 'moov'))

/** As `readMp4Index`, of an open file. @param name `meta` for an AVIF */
export function mp4IndexIn(bytes: FileBytes, name: 'moov' | 'meta'): Mp4Index | null {
  for (const { type, offset, length } of isoBlocks(bytes)) {
    if (type !== name) continue
    if (Math.min(length, bytes.size - offset) > MAX_INDEX_BYTES) throw indexTooLarge()
    const content = bytes.read(offset, length)
    return new Mp4Index(content, content.length === length)
  }
  return null
}

/** Of a file whose index is larger than what is read of one. */
export const indexTooLarge = (): AttestdError =>
  new AttestdError('media-too-complex', 'The index of the file is larger than what is read of one.')

/** What an index states that decoders and players follow or not. Its boxes are found by their names, wherever they lie. */
export class Mp4Index {
  /** With room behind it. */
  readonly #bytes: Buffer

  /** @param isWhole whether the file holds all of it */
  constructor(
    content: Buffer,
    readonly isWhole: boolean,
  ) {
    this.#bytes = Buffer.concat([content, Buffer.alloc(ROOM)])
  }

  /** Places of a name, behind its size. */
  *places(name: string, from = 4, to = this.#bytes.length - ROOM): Iterable<number> {
    const bytes = this.#bytes
    for (let at = bytes.indexOf(name, from); at !== -1 && at < to; at = bytes.indexOf(name, at + 4)) yield at
  }

  /** Number of 32 bits at a place. */
  number(at: number): number {
    return this.#bytes.readUInt32BE(at)
  }

  /** Number of 16 bits at a place; 0 behind the end. */
  half(at: number): number {
    return at + 2 > this.#bytes.length ? 0 : this.#bytes.readUInt16BE(at)
  }

  /** Number of 0, 16, 32 or 64 bits at a place; 0 behind the end. @param size bytes */
  sized(at: number, size: number): number {
    if (size === 0 || at + size > this.#bytes.length) return 0
    if (size === 2) return this.half(at)
    return size === 4 ? this.number(at) : this.number(at) * 2 ** 32 + this.number(at + 4)
  }

  /** Four characters at a place. */
  text(at: number): string {
    return this.#bytes.toString('latin1', at, at + 4)
  }

  /** Of the box whose name stands at a place; that of the index for one that states no size of 32 bits. */
  #endOf(at: number): number {
    const size = this.number(at - 4)
    return Math.min(this.#bytes.length - ROOM, size < 8 ? Infinity : at - 4 + size)
  }

  /** Whether a track is encrypted. Asked before anything is decoded, since ffmpeg decodes encrypted sound to noise. */
  get isProtected(): boolean {
    return PROTECTED_ENTRIES.some((entry) => {
      const [at] = this.places(entry)
      return at !== undefined && this.#bytes.subarray(at, at + SCHEME_WITHIN_BYTES).includes(SCHEME)
    })
  }

  /** Whether a track is one of chapters to another (QuickTime's reference `chap`), which some players never show, and others do. */
  isChapterTrack(track: number): boolean {
    for (const at of this.places('chap')) {
      const last = this.#endOf(at) - 4
      for (let id = at + 4; id <= last; id += 4) if (this.number(id) === track) return true
    }
    return false
  }

  /** Sides of the clean apertures (`clap`), px: what is cut out of the pictures. */
  get apertures(): (readonly [width: number, height: number])[] {
    const side = (at: number) => this.number(at) / this.number(at + 4)
    return [...this.places('clap')].map((at) => [side(at + 4), side(at + 12)])
  }

  /**
   * Whether much less than the coded pictures is to be cut out of them: some players do it, others show all, and ffmpeg does
   * either by its version.
   */
  isCutOut(width: number, height: number): boolean {
    return this.apertures.some(([across, down]) => !(across >= LEAST_KEPT * width && down >= LEAST_KEPT * height))
  }

  /** Whether a track is to be shown mirrored or turned by an odd angle by its matrix (ISO/IEC 14496-12, 8.3.2). */
  get isMirrored(): boolean {
    return [...this.places('tkhd')].some((at) => {
      const matrix = at + 4 + (this.#bytes[at + 4] === 1 ? 52 : 40)
      const [a = 0, b = 0, c = 0, d = 0] = [0, 4, 12, 16].map((from) => this.number(matrix + from) | 0)
      return b === 0 && c === 0 ? a * d < 0 : a !== 0 || d !== 0 || b * c > 0
    })
  }

  /**
   * How long pictures are shown by their edit list (ISO/IEC 14496-12, 8.6.6), seconds: infinite where there is none, or one
   * that shows all; 0 where it is not a single edit, or there are too many tracks to look for one.
   */
  get editedSeconds(): number {
    const [header] = this.places('mvhd')
    const scale = header === undefined ? 0 : this.number(header + (this.#bytes[header + 4] === 1 ? 24 : 16))
    const tracks = [...this.places('trak')]
    if (tracks.length > MOST_TRACKS) return 0
    const seconds = tracks.map((at) => {
      const end = this.#endOf(at)
      return this.#bytes.subarray(at, end).includes('vide') ? this.#secondsOf(at, end, scale) : Infinity
    })
    return Math.min(Infinity, ...seconds)
  }

  /** Of the track between two bytes. @param scale units a second */
  #secondsOf(from: number, to: number, scale: number): number {
    const [list] = this.places('elst', from, to)
    if (list === undefined) return Infinity
    const bytes = this.#bytes
    const isLong = bytes[list + 4] === 1
    const entryBytes = isLong ? 20 : 12
    const shown: number[] = []
    const end = Math.min(to, list + 12 + this.number(list + 8) * entryBytes)
    for (let entry = list + 12; entry < end && shown.length < 2; entry += entryBytes) {
      const start = isLong ? Number(bytes.readBigInt64BE(entry + 8)) : bytes.readInt32BE(entry + 4)
      // An empty edit lets the pictures begin later.
      if (start >= 0) shown.push(isLong ? Number(bytes.readBigUInt64BE(entry)) : this.number(entry))
    }
    if (shown.length !== 1) return 0
    return shown[0] === 0 ? Infinity : (shown[0] as number) / scale
  }
}
