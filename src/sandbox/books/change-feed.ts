/** Notifies listeners that something changed; they look at the new state themselves. */
export class ChangeFeed {
  readonly #listeners = new Set<() => void>()

  listen(listener: () => void, signal: AbortSignal): void {
    this.#listeners.add(listener)
    signal.addEventListener('abort', () => this.#listeners.delete(listener), { once: true })
  }

  emit(): void {
    for (const listener of this.#listeners) listener()
  }
}
