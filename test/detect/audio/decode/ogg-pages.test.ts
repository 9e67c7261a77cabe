import { describe, expect, it } from 'vitest'
import { oggPages } from '../../../../src/detect/audio/decode/ogg-pages.js'
import { chunksOf, collected } from '../../../support/chunks.js'

/** A page of segments of these sizes, filled with one byte. */
function page(fill: number, ...segments: number[]): Buffer {
  const header = Buffer.alloc(27)
  header.write('OggS', 'latin1')
  header[26] = segments.length
  const bytes = segments.reduce((sum, size) => sum + size, 0)
  return Buffer.concat([header, Buffer.from(segments), Buffer.alloc(bytes, fill)])
}

const pagesOf = async (bytes: Buffer, chunkBytes?: number) =>
  Buffer.concat(await collected(oggPages(chunksOf(bytes, chunkBytes))))

const FIRST = page(1, 19)
const SECOND = page(2, 255, 255, 3)
const EMPTY = page(3, 0)
const JUNK = Buffer.from('<tag>Og OggX gS</tag>')

it.each([1, 2, 3, 5, 26, 27, 28, 100, 10_000])(
  'keeps whole pages and nothing between them, read %i bytes at a time',
  async (chunkBytes) => {
    const bytes = Buffer.concat([JUNK, FIRST, JUNK, EMPTY, SECOND, JUNK, FIRST])
    const kept = await pagesOf(bytes, chunkBytes)
    expect(kept.equals(Buffer.concat([FIRST, EMPTY, SECOND, FIRST]))).toBe(true)
  },
)

it.each([
  ['in its sound', 1],
  ['down to its list of segments', 513],
  ['in its list of segments', 515],
  ['in its header', 518 + 20],
])('drops a last page that was cut %s', async (_, missing) => {
  const cut = SECOND.subarray(0, SECOND.length - missing)
  expect((await pagesOf(Buffer.concat([FIRST, cut]))).equals(FIRST)).toBe(true)
})

it('keeps an empty last page, which ends some streams', async () => {
  expect((await pagesOf(Buffer.concat([FIRST, EMPTY]))).equals(Buffer.concat([FIRST, EMPTY]))).toBe(true)
})

it('returns nothing for bytes without a page, however many', async () => {
  expect(await pagesOf(Buffer.alloc(0), 1)).toHaveLength(0)
  expect(await pagesOf(Buffer.alloc(100_000, 'Ogg'), 1000)).toHaveLength(0)
})

describe('a second recording', () => {
  const FIRST_OF_STREAM = 2

  function pageOf(serial: number, flags = 0): Buffer {
    const bytes = page(serial, 9)
    bytes[5] = flags
    bytes.writeUInt32LE(serial, 14)
    return bytes
  }

  it('is refused, whether or not its next stream is marked as one', async () => {
    for (const next of [pageOf(1, FIRST_OF_STREAM), pageOf(2, FIRST_OF_STREAM), pageOf(2)]) {
      const bytes = Buffer.concat([pageOf(1, FIRST_OF_STREAM), pageOf(1), pageOf(1), next])
      await expect(pagesOf(bytes)).rejects.toMatchObject({ reason: 'media-unsupported' })
    }
  })

  it('is refused also in parallel to the first one, of which players play one', async () => {
    const starts = [pageOf(1, FIRST_OF_STREAM), pageOf(2, FIRST_OF_STREAM)]
    const bytes = Buffer.concat([...starts, pageOf(2), pageOf(1), pageOf(2), pageOf(1)])
    await expect(pagesOf(bytes)).rejects.toMatchObject({ reason: 'media-unsupported' })
  })
})
