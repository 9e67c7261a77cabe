import { expect, it } from 'vitest'
import { mayHoldSpeech } from '../../../../src/detect/audio/decode/opus-packets.js'

/** First bytes of a packet: RFC 6716, section 3.1. */
const SILK_60 = 3 << 3
const SILK_20 = 1 << 3
const CELT_20 = 19 << 3
/** Several frames in one packet; their number is in the second byte. */
const SEVERAL = 3

/** A page with packets of these sizes, each of which begins with the same bytes. */
function page(head: readonly number[], ...sizes: number[]): Buffer {
  const segments = sizes.flatMap((size) => [...Array(Math.floor(size / 255)).fill(255), size % 255])
  const header = Buffer.alloc(27)
  header.write('OggS', 'latin1')
  header[26] = segments.length
  const packets = sizes.map((size) => Buffer.concat([Buffer.from(head), Buffer.alloc(size)]).subarray(0, size))
  return Buffer.concat([header, Buffer.from(segments), ...packets])
}

async function speech(pages: Buffer[], seconds = 120): Promise<boolean> {
  async function* chunks() {
    yield* pages
  }
  return mayHoldSpeech(chunks(), seconds)
}
const times = (count: number, size: number) => Array<number>(count).fill(size)

it.each([
  ['5 bytes each 60 ms', [SILK_60], 5, false],
  ['17 bytes each 60 ms, below 2,400 bit/s', [SILK_60], 17, false],
  ['18 bytes each 60 ms', [SILK_60], 18, true],
  ['2 bytes each 20 ms', [SILK_20], 2, false],
  ['8 bytes each 20 ms', [SILK_20], 8, true],
  ['8 bytes of three frames of 20 ms', [CELT_20 | SEVERAL, 3], 8, false],
  ['600 bytes, on three segments', [CELT_20], 600, true],
])('%s may be speech: %s', async (_, head, size, isSpeech) => {
  expect(await speech([page(head, ...times(80, size))])).toBe(isSpeech)
})

it('a tenth of a second is enough, wherever it is, and less is a click', async () => {
  const silent = page([SILK_20], ...times(200, 2))
  expect(await speech([silent, page([SILK_20], ...times(5, 40)), silent])).toBe(true)
  expect(await speech([silent, page([SILK_20], ...times(4, 40)), silent])).toBe(false)
})

it('reads no further than requested', async () => {
  const pages = [page([SILK_20], ...times(100, 2)), page([SILK_20], ...times(100, 40))]
  expect(await speech(pages, 2)).toBe(false)
  expect(await speech(pages, 3)).toBe(true)
})

it('leaves a file without packets to the decoder', async () => {
  expect(await speech([])).toBe(true)
})
