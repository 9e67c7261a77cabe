import { setImmediate as nextTurn } from 'node:timers/promises'

/** Items between two turns of the event loop: a few milliseconds where each is checked against a schema. */
const BATCH = 64

/** The items, with a turn of the event loop after every 64, so that long lists do not hold up the rest of the process. */
export async function* inTurns<T>(items: Iterable<T>): AsyncGenerator<T> {
  let count = 0
  for (const item of items) {
    if (++count % BATCH === 0) await nextTurn()
    yield item
  }
}
