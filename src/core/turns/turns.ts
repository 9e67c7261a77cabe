import { setImmediate as nextTurn } from 'node:timers/promises'

/** Work between two turns of the event loop, bytes: one or two milliseconds of parsing. */
export const TURN_BYTES = 64 * 1024
/** What a step costs beside its bytes (promises, callbacks, a schema), counted as bytes: 64 steps fill a turn. */
export const STEP_BYTES = 1024

/**
 * Divides long work into short turns, so that the event loop serves the rest of the process in between. Work is counted,
 * not timed: how it is divided does not depend on the machine.
 */
export class Turns {
  readonly #next: () => Promise<unknown>
  #spent = 0

  /** @param next resolves in another turn of the event loop */
  constructor(next: () => Promise<unknown> = nextTurn) {
    this.#next = next
  }

  /** Call before or after each step with the bytes that it goes through; waits for a new turn where this one is full. */
  async step(bytes = 0): Promise<void> {
    this.#spent += STEP_BYTES + bytes
    if (this.#spent < TURN_BYTES) return
    this.#spent = 0
    await this.#next()
  }
}
