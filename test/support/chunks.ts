/** Bytes as a stream gives them: in pieces of so many. */
export async function* chunksOf(bytes: Uint8Array, size = Math.max(1, bytes.length)): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

/** All that a stream gives, in a row. */
export async function collected<T>(stream: AsyncIterable<T> | Iterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const each of stream) all.push(each)
  return all
}
