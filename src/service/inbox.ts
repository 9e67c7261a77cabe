/**
 * Hands items from a producer to one consumer. The producer waits in `emptied` before it makes more, so what is held
 * stays bounded; a failure is seen by the consumer only after every item before it.
 */
export class Inbox<Item> {
  readonly #items: Item[] = []
  #failure: { readonly error: unknown } | null = null
  #wakeConsumer: () => void = () => {}
  #wakeProducer: () => void = () => {}

  push(item: Item): void {
    this.#items.push(item)
    this.#wakeConsumer()
  }

  /** Ends it; only the first failure counts. */
  fail(error: unknown): void {
    this.#failure ??= { error }
    this.#wakeConsumer()
    this.#wakeProducer()
  }

  /** The next item, in order. Rejects with the failure once no item is left. One caller at a time. */
  async next(): Promise<Item> {
    for (;;) {
      const item = this.#items.shift()
      if (item !== undefined) return item
      if (this.#failure) throw this.#failure.error
      this.#wakeProducer()
      await new Promise<void>((resolve) => {
        this.#wakeConsumer = resolve
      })
    }
  }

  /** Resolves when the consumer has taken every item and asks for more, or when it failed. One caller at a time. */
  async emptied(): Promise<void> {
    while (this.#items.length > 0 && !this.#failure) {
      await new Promise<void>((resolve) => {
        this.#wakeProducer = resolve
      })
    }
  }
}
