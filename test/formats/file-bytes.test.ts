import { describe, expect, it } from 'vitest'
import { withFileBytes } from '../../src/formats/file-bytes.js'
import { filesForAll } from '../support/temporary-folder.js'

const fileWith = filesForAll()

describe('withFileBytes', () => {
  const KIB_64 = 64 * 1024
  const content = Buffer.from(Array.from({ length: KIB_64 + 1000 }, (_, index) => (index * 7 + (index >> 8)) % 256))

  it.each([
    ['at its start', 0, 10],
    ['up to the end of what was read at first', KIB_64 - 5, 5],
    ['over that end', KIB_64 - 5, 6],
    ['behind it', KIB_64 + 10, 20],
    ['up to the end of the file', KIB_64 + 990, 10],
    ['beyond the end of the file', KIB_64 + 990, 1e9],
    ['behind the end of the file', KIB_64 + 1000, 5],
    ['far behind it', 10 * KIB_64, 5],
    ['nothing', 100, 0],
  ])('reads %s', async (_, offset, length) => {
    await withFileBytes(await fileWith(content), (bytes) => {
      expect(bytes.size).toBe(content.length)
      expect(bytes.read(offset, length).equals(content.subarray(offset, offset + length))).toBe(true)
    })
  })

  it('returns nothing for an empty file, and nothing after the end of a small one', async () => {
    await withFileBytes(await fileWith(Buffer.alloc(0)), (bytes) => expect(bytes.read(0, 9)).toHaveLength(0))
    await withFileBytes(await fileWith(Buffer.from('abc')), (bytes) => {
      expect(bytes.read(1, 9).toString()).toBe('bc')
      expect(bytes.read(5, 9)).toHaveLength(0)
    })
  })

  it('closes the file, also after a failure', async () => {
    const file = await fileWith(content)
    const failing = withFileBytes(file, () => {
      throw new Error('on purpose')
    })
    await expect(failing).rejects.toThrow('on purpose')
    expect(await withFileBytes(file, ({ size }) => size)).toBe(content.length)
  })
})
