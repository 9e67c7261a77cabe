import { expect, it } from 'vitest'
import { ByteReader } from '../../../../src/detect/audio/decode/byte-reader.js'

/** A source that notes whether it was ended. */
function source(...chunks: string[]) {
  const state = { isEnded: false }
  async function* bytes() {
    try {
      for (const chunk of chunks) yield Buffer.from(chunk)
    } finally {
      state.isEnded = true
    }
  }
  return { state, reader: new ByteReader(bytes()) }
}

const text = async (bytes: Promise<Buffer>) => (await bytes).toString()

it('reads runs across chunks of any size, including empty ones', async () => {
  const { reader } = source('ab', '', 'c', '', '', 'defg')
  expect(await text(reader.read(1))).toBe('a')
  expect(await text(reader.read(3))).toBe('bcd')
  expect(await text(reader.read(0))).toBe('')
  expect(await text(reader.read(3))).toBe('efg')
})

it('returns fewer bytes at the end only, and none after it', async () => {
  const { reader } = source('abc', 'de')
  expect(await text(reader.read(9))).toBe('abcde')
  expect(await text(reader.read(1))).toBe('')
  await reader.skip(5)
  expect(await text(reader.read(1))).toBe('')
})

it.each([
  ['within a chunk', 2, 'cdef'],
  ['up to the end of a chunk', 3, 'def'],
  ['over several chunks', 5, 'f'],
  ['nothing', 0, 'abcdef'],
  ['more than there is', 7, ''],
])('skips %s', async (_, count, rest) => {
  const { reader } = source('abc', 'd', 'ef')
  await reader.skip(count)
  expect(await text(reader.read(9))).toBe(rest)
})

it('closes a source that was not read to its end', async () => {
  const { reader, state } = source('abc', 'def')
  await reader.read(1)
  expect(state.isEnded).toBe(false)
  await reader.close()
  expect(state.isEnded).toBe(true)
})
