import { AttestdError } from '../core/errors.js'

const LF = 10
const CR = 13
const COLON = 58

/** A whole piece of an event stream: one event up to its blank line, or lines that say nothing (comments, blank lines). */
export interface StreamPiece {
  readonly kind: 'event' | 'silence'
  readonly bytes: Uint8Array
}

/**
 * Cuts the bytes of an event stream into pieces, so that its parser gets one whole event at a time and can be held back
 * between two, and an event that never ends is noticed before it fills the memory.
 */
export class EventSplitter {
  readonly #maxEventBytes: number
  /** Bytes of the unfinished piece. */
  #held: Uint8Array[] = []
  #heldBytes = 0
  #line: 'empty' | 'comment' | 'field' = 'empty'
  /** Whether the unfinished piece has a field line. */
  #hasField = false
  /** Whether the last line ended in a CR at the end of a chunk, whose LF may still follow. */
  #afterCr = false

  constructor(maxEventBytes: number) {
    this.#maxEventBytes = maxEventBytes
  }

  /** The pieces that these bytes complete. @throws AttestdError event-too-large; nothing more may be pushed then */
  push(chunk: Uint8Array): StreamPiece[] {
    const pieces: StreamPiece[] = []
    // The LF of a CRLF that fell apart between two chunks: its line has ended already.
    let from = this.#afterCr && chunk[0] === LF ? 1 : 0
    if (chunk.length > 0) this.#afterCr = false
    for (let at = from; at < chunk.length; at++) {
      const byte = chunk[at]
      if (byte !== LF && byte !== CR) {
        if (this.#line === 'empty') this.#line = byte === COLON ? 'comment' : 'field'
        continue
      }
      if (byte === CR && chunk[at + 1] === LF) at++
      this.#afterCr = chunk[at] === CR
      const kind = this.#endLine()
      if (!kind) continue
      pieces.push(this.#cut(kind, chunk.subarray(from, at + 1)))
      from = at + 1
    }
    this.#hold(chunk.subarray(from))
    return pieces
  }

  /** @returns what kind of piece ends with this line, if one does */
  #endLine(): StreamPiece['kind'] | null {
    const line = this.#line
    this.#line = 'empty'
    if (line === 'field') this.#hasField = true
    if (this.#hasField) return line === 'empty' ? 'event' : null
    return 'silence'
  }

  #cut(kind: StreamPiece['kind'], last: Uint8Array): StreamPiece {
    this.#hold(last)
    // A parser waits for what follows a CR at the end, so a line that ends in a bare CR gets its LF here.
    if (last.at(-1) === CR) this.#held.push(Uint8Array.of(LF))
    const bytes = this.#held.length === 1 ? this.#held[0]! : Buffer.concat(this.#held)
    this.#held = []
    this.#heldBytes = 0
    this.#hasField = false
    return { kind, bytes }
  }

  #hold(bytes: Uint8Array): void {
    if (bytes.length === 0) return
    this.#held.push(bytes)
    this.#heldBytes += bytes.length
    if (this.#heldBytes > this.#maxEventBytes) {
      throw new AttestdError('event-too-large', `An event is larger than ${this.#maxEventBytes} bytes.`)
    }
  }
}
