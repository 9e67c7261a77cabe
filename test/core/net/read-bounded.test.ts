import { expect, it } from 'vitest'
import { readBounded } from '../../../src/core/net/read-bounded.js'

const tooLarge = () => new Error('too large')

async function* pieces(sizes: readonly number[], onEnd: (read: number) => void) {
  let read = 0
  try {
    for (const size of sizes) {
      read++
      yield new Uint8Array(size).fill(read)
    }
  } finally {
    onEnd(read)
  }
}

it('reads a body up to its limit, and a missing one', async () => {
  const body = pieces([2, 1], () => {})
  expect(await readBounded(body, 3, tooLarge)).toEqual(Buffer.from([1, 1, 2]))
  expect(await readBounded(null, 3, tooLarge)).toHaveLength(0)
})

it('stops at the chunk that exceeds it', async () => {
  const ends: number[] = []
  const body = pieces([2, 2, 2], (read) => ends.push(read))
  await expect(readBounded(body, 3, tooLarge)).rejects.toThrow('too large')
  expect(ends).toEqual([2])
})

it('passes on the error of a broken body', async () => {
  async function* broken() {
    yield new Uint8Array(1)
    throw new Error('broke off')
  }
  await expect(readBounded(broken(), 3, tooLarge)).rejects.toThrow('broke off')
})
