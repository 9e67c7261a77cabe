import { AttestdError } from '../core/errors.js'

/** What a line of an event stream is to its parser; `unknown` lines and comments mean nothing to it. */
type Line = 'blank' | 'comment' | 'unknown' | 'field'

const LF = 10
const CR = 13
const COLON = 58
/** The fields that are passed on. `retry` is not one of them: the waits between connections are the reader's own. */
const FIELDS = ['data', 'event', 'id'].map((name) => Buffer.from(name))
/** From so many bytes a line is told: the longest name and what ends it. */
const HEAD_BYTES = 6
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf])
/** Most lines of one event: a list of some 8,000 assets, printed with a line a field. */
export const MAX_EVENT_LINES = 100_000

/** A piece of an event stream: an event or its next part, its lines ending in LF; or lines that say nothing. */
export interface StreamPiece {
  /** `event`: with these bytes an event is whole. `silence`: comments and blank lines, of which nothing is kept. */
  readonly kind: 'part' | 'event' | 'silence'
  readonly bytes: Uint8Array
}

const NOTHING = new Uint8Array(0)

/**
 * Cuts the bytes of an event stream into pieces of at most one event, so that its parser can be held back between two,
 * and leaves out what means nothing to it: comments, unknown fields. One pass, a few instructions a byte.
 */
export class EventSplitter {
  readonly #maxEventBytes: number
  /** Start of a line that is still too short to be told by its field. */
  #rest: Uint8Array = NOTHING
  #isStart = true
  /** Whether the last line ended in a CR at the end of a chunk, whose LF may still follow. */
  #afterCr = false
  /** The line under way; null where the next byte begins one. */
  #line: Line | null = null
  /** Of the event under way; 0 where there is none. */
  #lines = 0
  #bytes = 0

  constructor(maxEventBytes: number) {
    this.#maxEventBytes = maxEventBytes
  }

  /** What these bytes bring, in order. @throws AttestdError event-too-large; nothing more may be pushed then */
  push(chunk: Uint8Array): StreamPiece[] {
    const bytes = this.#taken(chunk)
    const pieces = new Pieces(bytes.length)
    for (let at = 0; at < bytes.length; ) {
      this.#line ??= lineAt(bytes, at)
      if (!this.#line) {
        this.#rest = bytes.slice(at)
        break
      }
      const end = endOfLine(bytes, at)
      const isWhole = end < bytes.length
      this.#count(this.#line, end - at, isWhole)
      if (this.#line === 'field') pieces.keep(bytes.subarray(at, end))
      if (!isWhole) break
      this.#endLine(this.#line, pieces)
      at = this.#afterEnd(bytes, end)
    }
    pieces.endPart()
    return pieces.all
  }

  /** The chunk behind what was left of the one before; without a byte order mark and the second half of a CRLF. */
  #taken(chunk: Uint8Array): Uint8Array {
    let bytes = this.#rest.length > 0 ? Buffer.concat([this.#rest, chunk]) : chunk
    this.#rest = NOTHING
    if (this.#afterCr && bytes[0] === LF) bytes = bytes.subarray(1)
    this.#afterCr &&= chunk.length === 0
    if (this.#isStart && bytes.length >= BYTE_ORDER_MARK.length) {
      this.#isStart = false
      if (startsWith(bytes, 0, BYTE_ORDER_MARK)) bytes = bytes.subarray(BYTE_ORDER_MARK.length)
    }
    return bytes
  }

  /** Counts bytes and lines of events, those that are left out too. */
  #count(line: Line, bytes: number, isWhole: boolean): void {
    const isBetween = this.#lines === 0 && (line === 'blank' || line === 'comment')
    if (isBetween) return
    this.#bytes += bytes
    if (isWhole) this.#lines++
    if (this.#bytes > this.#maxEventBytes) {
      throw new AttestdError('event-too-large', `An event is larger than ${this.#maxEventBytes} bytes.`)
    }
    if (this.#lines > MAX_EVENT_LINES) {
      throw new AttestdError('event-too-large', `An event has more than ${MAX_EVENT_LINES} lines.`)
    }
  }

  #endLine(line: Line, pieces: Pieces): void {
    this.#line = null
    if (this.#lines === 0) pieces.addSilence()
    else if (line === 'field') pieces.endLine()
    else if (line === 'blank') {
      pieces.endEvent()
      this.#lines = 0
      this.#bytes = 0
    }
  }

  /** @returns where the next line begins */
  #afterEnd(bytes: Uint8Array, end: number): number {
    if (bytes[end] === LF) return end + 1
    this.#afterCr = end + 1 === bytes.length
    return bytes[end + 1] === LF ? end + 2 : end + 1
  }
}

/** What one chunk brings. What is kept of it is never longer than the chunk. */
class Pieces {
  readonly all: StreamPiece[] = []
  readonly #kept: Uint8Array
  #from = 0
  #to = 0

  constructor(maxBytes: number) {
    this.#kept = new Uint8Array(maxBytes)
  }

  keep(bytes: Uint8Array): void {
    this.#kept.set(bytes, this.#to)
    this.#to += bytes.length
  }

  endLine(): void {
    this.#kept[this.#to++] = LF
  }

  endEvent(): void {
    this.endLine()
    this.#add('event')
  }

  endPart(): void {
    if (this.#to > this.#from) this.#add('part')
  }

  addSilence(): void {
    if (this.all.at(-1)?.kind !== 'silence') this.all.push({ kind: 'silence', bytes: NOTHING })
  }

  #add(kind: StreamPiece['kind']): void {
    this.all.push({ kind, bytes: this.#kept.subarray(this.#from, this.#to) })
    this.#from = this.#to
  }
}

/** What the line is that begins here; null where too little of it is there. */
function lineAt(bytes: Uint8Array, at: number): Line | null {
  const first = bytes[at]
  if (first === LF || first === CR) return 'blank'
  if (first === COLON) return 'comment'
  if (FIELDS.some((name) => startsWith(bytes, at, name) && endsField(bytes[at + name.length]))) return 'field'
  return bytes.length - at < HEAD_BYTES && endOfLine(bytes, at) === bytes.length ? null : 'unknown'
}

function endsField(byte: number | undefined): boolean {
  return byte === COLON || byte === LF || byte === CR
}

/** Whether these bytes stand there. */
function startsWith(bytes: Uint8Array, at: number, start: Uint8Array): boolean {
  return start.every((byte, offset) => bytes[at + offset] === byte)
}

/** Where the line ends, or the length where its end is not there yet. */
function endOfLine(bytes: Uint8Array, from: number): number {
  let at = from
  while (at < bytes.length && bytes[at] !== LF && bytes[at] !== CR) at++
  return at
}
