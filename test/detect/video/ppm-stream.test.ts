import { expect, it } from 'vitest'
import { readPpmStream } from '../../../src/detect/video/ppm-stream.js'

const ppm = (width: number, height: number, value: number) =>
  Buffer.concat([Buffer.from(`P6\n${width} ${height}\n255\n`), Buffer.alloc(width * height * 3, value)])

async function read(chunks: readonly Buffer[]) {
  const pictures = []
  for await (const { width, height, pixels } of readPpmStream(
    (async function* () {
      yield* chunks
    })(),
  ))
    pictures.push([width, height, new Set(pixels)])
  return pictures
}
const EXPECTED = [
  [4, 3, new Set([7])],
  [40, 2, new Set([10])],
  [1, 1, new Set([32])],
]

it.each([1, 2, 5, 13, 50, 1000])('cuts pictures of changing sizes out of chunks of %i bytes', async (size) => {
  // 10 and 32 are line end and space: white space in a header, a color here.
  const all = Buffer.concat([ppm(4, 3, 7), ppm(40, 2, 10), ppm(1, 1, 32)])
  const pieces = Array.from({ length: Math.ceil(all.length / size) }, (_, at) =>
    all.subarray(at * size, (at + 1) * size),
  )
  expect(await read(pieces)).toEqual(EXPECTED)
})

it('refuses a stream that ends inside a picture, and one of another form', async () => {
  await expect(read([ppm(4, 3, 7).subarray(0, 20)])).rejects.toMatchObject({ reason: 'media-corrupt' })
  await expect(read([Buffer.alloc(100, 'no picture')])).rejects.toMatchObject({ reason: 'media-corrupt' })
})
