const [LF, CR, COLON] = [10, 13, 58]

/**
 * Counts the bytes of the event under way in an event stream, as a parser keeps them at most: a comment counts until its
 * line ends, an event until its blank line.
 */
export class EventMeter {
  #event = 0
  #line = 0
  #isComment = false
  #last = LF

  get bytes(): number {
    return this.#event + this.#line
  }

  push(bytes: Uint8Array): void {
    this.#count(bytes, false)
  }

  /** Counts up to the end of the first event. @returns the place after its blank line; -1 where none ends */
  pushToEnd(bytes: Uint8Array): number {
    return this.#count(bytes, true)
  }

  #count(bytes: Uint8Array, isToEnd: boolean): number {
    let [lf, cr] = [-1, -1]
    for (let at = 0; at < bytes.length; ) {
      // By the runtime's own search: a loop over the bytes of a long list costs the daemon more than parsing it.
      if (lf < at) lf = indexFrom(bytes, LF, at)
      if (cr < at) cr = indexFrom(bytes, CR, at)
      const stop = Math.min(lf, cr)
      if (stop > at) this.#text(bytes.subarray(at, stop))
      at = stop + 1
      if (stop < bytes.length && this.#endsEvent(bytes[stop] as number) && isToEnd) return at
    }
    return -1
  }

  #text(bytes: Uint8Array): void {
    if (this.#startsLine) this.#isComment = bytes[0] === COLON
    this.#line += bytes.length
    this.#last = bytes.at(-1) as number
  }

  /** @param byte LF or CR @returns whether it ends a blank line */
  #endsEvent(byte: number): boolean {
    const isSecondHalf = byte === LF && this.#last === CR
    const isBlank = this.#startsLine
    this.#last = byte
    if (isSecondHalf) return false
    this.#event = isBlank ? 0 : this.#event + (this.#isComment ? 0 : this.#line)
    this.#line = 0
    return isBlank
  }

  get #startsLine(): boolean {
    return this.#last === LF || this.#last === CR
  }
}

/** The place of the next such byte, or the length. */
function indexFrom(bytes: Uint8Array, byte: number, at: number): number {
  const found = bytes.indexOf(byte, at)
  return found < 0 ? bytes.length : found
}
