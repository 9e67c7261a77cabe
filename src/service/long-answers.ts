import { setImmediate as nextTurn } from 'node:timers/promises'

const [COMMA, COLON, LIST, OBJECT] = [44, 58, 91, 123]

/**
 * `JSON.parse` for text from outside. Its time depends on the number of parts more than on the bytes: 2 MiB of assets
 * take 20 ms, 2 MiB of brackets 600 ms.
 * @param maxParts lists, objects, members and commas together; those within texts count too
 * @throws RangeError for more parts, SyntaxError where it is not JSON
 */
export function parseJson(text: string, maxParts: number): unknown {
  let parts = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === COMMA || code === COLON || code === LIST || code === OBJECT) parts++
  }
  if (parts > maxParts) throw new RangeError(`it has more than ${maxParts} lists, objects and members`)
  return JSON.parse(text)
}

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
