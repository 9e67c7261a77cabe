import { readAt } from '../core/files.js'

/** Elements of the file and of its segment that are walked over in search of the tracks. */
const MAX_ELEMENTS = 10_000
/** Largest list of tracks that is looked through, bytes; fonts and pictures lie elsewhere. */
const MAX_TRACKS_BYTES = 4 * 1024 ** 2
/** Numbers of elements: RFC 9559, section 5. */
const SEGMENT = 0x18538067
const TRACKS = 0x1654ae6b
const CLUSTER = 0x1f43b675
const TRACK = 0xae
const TYPE = 0x83
const ENABLED = 0xb9
const ENCODING = 0x6240
const ENCRYPTION = 0x5035
const ALGORITHM = 0x4254
const CROPS = [0x54aa, 0x54bb, 0x54cc, 0x54dd]
/** Those that hold others: video, encodings, encoding, compression. */
const MASTERS = [0xe0, 0x6d80, ENCODING, 0x5034]
/** Pictures and sound. */
const SEEN_OR_HEARD = [1, 2]
/** Of compression: the bytes that all frames begin with are left out. The reader of this package knows no other. */
const HEADER_STRIPPING = 3
/** Encoders add up to so many pixels to a side, and cut them away again. */
const PADDING_PIXELS = 16

interface Element {
  readonly id: number
  /** Of its content; infinite where it is not known. */
  readonly size: number
  /** Of its number and size. */
  readonly head: number
}

/**
 * Whether a Matroska or WebM has a track of pictures or sound that some players show and others do not, or only in part: one
 * that is disabled, compressed, encrypted, or cut out by its container.
 * @returns true, too, where no list of tracks is found in front of them
 */
export async function hasTrackShownOtherwise(file: string): Promise<boolean> {
  let at = 0
  let found = false
  for (let count = 0; count < MAX_ELEMENTS; count++) {
    const element = elementAt(await readAt(file, at, 12), 0)
    if (element === null || (element.id === CLUSTER && found)) return !found
    const { head, id, size } = element
    if (id === TRACKS) {
      if (size > MAX_TRACKS_BYTES) return true
      found = true
      const list = await readAt(file, at + head, size)
      for (const track of elementsIn(list)) if (track.id === TRACK && isShownOtherwise(track.content)) return true
    }
    // Into the segment, over all else.
    at += head + (id === SEGMENT ? 0 : size)
    if (!Number.isSafeInteger(at)) return !found
  }
  return true
}

function isShownOtherwise(track: Buffer): boolean {
  const values = [...leavesOf(track)]
  const of = (id: number) => values.filter((each) => each.id === id).map(({ value }) => value)
  if (!of(TYPE).some((type) => SEEN_OR_HEARD.includes(type))) return false
  const isCropped = CROPS.some((side) => of(side).some((pixels) => pixels > PADDING_PIXELS))
  const stripped = of(ALGORITHM).filter((algorithm) => algorithm === HEADER_STRIPPING).length
  return isCropped || of(ENABLED).includes(0) || of(ENCRYPTION).length > 0 || of(ENCODING).length > stripped
}

/** The elements of a track and in it, by number and value; that of a master is 0. */
function* leavesOf(bytes: Buffer): Iterable<{ readonly id: number; readonly value: number }> {
  for (const { id, content } of elementsIn(bytes)) {
    const isMaster = MASTERS.includes(id)
    yield { id, value: isMaster ? 0 : content.subarray(0, 8).reduce((sum, byte) => sum * 256 + byte, 0) }
    if (isMaster) yield* leavesOf(content)
  }
}

function* elementsIn(bytes: Buffer): Iterable<{ readonly id: number; readonly content: Buffer }> {
  for (let at = 0, element = elementAt(bytes, at); element !== null; element = elementAt(bytes, at)) {
    const from = at + element.head
    yield { id: element.id, content: bytes.subarray(from, from + element.size) }
    at = from + element.size
  }
}

/** Null where none begins. */
function elementAt(bytes: Buffer, at: number): Element | null {
  const idBytes = lengthOf(bytes[at])
  const sizeBytes = lengthOf(bytes[at + idBytes])
  const end = at + idBytes + sizeBytes
  if (idBytes > 4 || sizeBytes > 8 || end > bytes.length) return null
  const [first = 0, ...others] = bytes.subarray(at + idBytes, end)
  const size = others.reduce((sum, byte) => sum * 256 + byte, first - 2 ** (8 - sizeBytes))
  const isUnknown = size >= 2 ** (7 * sizeBytes) - 1
  return { id: bytes.readUIntBE(at, idBytes), size: isUnknown ? Infinity : size, head: idBytes + sizeBytes }
}

/** Bytes of a number by its first: the zeros in front of its first one count them. */
const lengthOf = (first: number | undefined): number => (first ? Math.clz32(first) - 23 : Infinity)
