/** Notifies listeners that something changed; they look at the new state themselves. */
export class ChangeFeed {
  readonly #listeners = new Set<() => void>()

  /** @returns stops the listening */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  emit(): void {
    for (const listener of this.#listeners) listener()
  }
}
