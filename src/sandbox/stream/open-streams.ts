/** The streams that are open, so that a person or the shutdown can end them all. */
export class OpenStreams {
  readonly #cutters = new Set<() => void>()

  /** @param cut ends the stream at once @returns takes it out again */
  add(cut: () => void): () => void {
    this.#cutters.add(cut)
    return () => this.#cutters.delete(cut)
  }

  get size(): number {
    return this.#cutters.size
  }

  /** @returns how many were cut */
  cutAll(): number {
    const count = this.#cutters.size
    for (const cut of this.#cutters) cut()
    return count
  }
}
