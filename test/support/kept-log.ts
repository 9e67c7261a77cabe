import type { Log } from '../../src/core/log.js'

/** One line: its level and message with the facts beside them. */
export type KeptLine = Readonly<Record<string, unknown>> & { readonly level: string; readonly message: string }

/** Keeps every line. */
export class KeptLog implements Log {
  readonly lines: KeptLine[] = []

  debug = this.#keep('debug')
  info = this.#keep('info')
  warn = this.#keep('warn')
  error = this.#keep('error')

  get messages(): string[] {
    return this.lines.map(({ message }) => message)
  }

  /** All lines as one text to search. */
  get text(): string {
    return this.lines.map((line) => JSON.stringify(line)).join('\n')
  }

  #keep(level: string) {
    return (facts: object, message: string) => void this.lines.push({ ...facts, level, message })
  }
}
