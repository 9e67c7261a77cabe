import type { Clock } from '../../core/clock.js'

/** How often the daemon is notified that a long parse goes on, ms. */
const NOTICE_MS = 1000

/** A stretch of work by a parser. */
export interface Parsing {
  /** It got on: a chunk is done. */
  step(): void
  end(): void
}

/**
 * Tells the daemon while a parser of hostile bytes computes, which may be for ever or take all memory: where nothing more is
 * heard within `PARSER_LIMIT_MS`, or the process dies over it, the daemon refuses the file and replaces the process.
 * For use in a detector process; one stretch at a time.
 */
export class ParserWatch {
  readonly #clock: Pick<Clock, 'monotonic'>
  readonly #notify: (isParsing: boolean) => void

  /** @param notify called as each stretch begins, goes on and ends */
  constructor(clock: Pick<Clock, 'monotonic'>, notify: (isParsing: boolean) => void) {
    this.#clock = clock
    this.#notify = notify
  }

  begin(): Parsing {
    let notifiedAt = this.#clock.monotonic()
    this.#notify(true)
    return {
      step: () => {
        const now = this.#clock.monotonic()
        if (now < notifiedAt + NOTICE_MS) return
        notifiedAt = now
        this.#notify(true)
      },
      end: () => this.#notify(false),
    }
  }

  async during<T>(work: () => Promise<T>): Promise<T> {
    const parsing = this.begin()
    try {
      return await work()
    } finally {
      parsing.end()
    }
  }
}
