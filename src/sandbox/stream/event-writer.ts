import type { ServerResponse } from 'node:http'

/** Writes server-sent events and knows whether the reader keeps up. */
export class EventWriter {
  readonly #response: ServerResponse
  #blocked = false

  /** @param onDrain the reader took what was buffered */
  constructor(response: ServerResponse, onDrain: () => void) {
    this.#response = response
    response.on('drain', () => {
      this.#blocked = false
      onDrain()
    })
  }

  /** True while the reader has not taken what was written; nothing more should be written then. */
  get blocked(): boolean {
    return this.#blocked
  }

  event(name: string, data: unknown): void {
    this.raw(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`)
  }

  /** Text as it stands, for comments and for faults. */
  raw(text: string): void {
    if (!this.#response.writable) return
    if (!this.#response.write(text)) this.#blocked = true
  }
}
