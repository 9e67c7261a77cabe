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

  /** @returns where the first event ends in these bytes, after its blank line; -1 where none ends */
  push(bytes: Uint8Array): number {
    let end = -1
    for (const [at, byte] of bytes.entries()) {
      const starts = this.#last === LF || this.#last === CR
      const isSecondHalf = byte === LF && this.#last === CR
      this.#last = byte
      if (isSecondHalf) continue
      if (byte !== LF && byte !== CR) {
        if (starts) this.#isComment = byte === COLON
        this.#line++
        continue
      }
      if (starts && end < 0) end = at + 1
      this.#event = starts ? 0 : this.#event + (this.#isComment ? 0 : this.#line)
      this.#line = 0
    }
    return end
  }
}
