/** Reads bytes that arrive in chunks of any size as runs of wanted sizes. */
export class ByteReader {
  readonly #chunks: AsyncIterator<Uint8Array>
  #chunk: Uint8Array = new Uint8Array(0)
  /** Bytes that were read or passed over. */
  position = 0

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]()
  }

  /** The next bytes: `count` of them, fewer only at the end. */
  async read(count: number): Promise<Buffer> {
    const parts: Uint8Array[] = []
    let wanted = count
    while (wanted > 0) {
      const part = await this.#some(wanted)
      if (part.length === 0) break
      parts.push(part)
      wanted -= part.length
    }
    return Buffer.concat(parts)
  }

  /** Passes over bytes; fewer only at the end. */
  async skip(count: number): Promise<void> {
    let left = count
    while (left > 0) {
      const { length } = await this.#some(left)
      if (length === 0) return
      left -= length
    }
  }

  async close(): Promise<void> {
    await this.#chunks.return?.()
  }

  /** One to `most` bytes of one chunk, or none at the end. */
  async #some(most: number): Promise<Uint8Array> {
    while (this.#chunk.length === 0) {
      const next = await this.#chunks.next()
      if (next.done) return this.#chunk
      this.#chunk = next.value
    }
    const part = this.#chunk.subarray(0, most)
    this.#chunk = this.#chunk.subarray(part.length)
    this.position += part.length
    return part
  }
}
