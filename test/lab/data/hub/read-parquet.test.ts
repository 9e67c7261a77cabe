import { expect, it, vi } from 'vitest'
import { ParquetFile } from '../../../../src/lab/data/hub/parquet-file.js'
import { MediaCells } from '../../../../src/lab/data/hub/read-parquet.js'
import { imageParquet } from '../../../support/image-parquet.js'
import { rowFiles } from '../row-files.js'

const files = rowFiles()
const { write } = files

const pictures = (count: number) =>
  Array.from({ length: count }, (_, nth) => ({ bytes: Uint8Array.of(nth), path: `${nth}.png`, label: 0 }))

it('a parquet file of media is unpacked a group at a time, each once while its rows are read in their order', async () => {
  const file = await ParquetFile.open(await write('cells.parquet', imageParquet(pictures(5))))
  const unpacked = vi.spyOn(file, 'group')
  const cells = new MediaCells()
  const read = (row: number) => cells.bytes(file, 'image', row)
  const all = await Promise.all([0, 1, 2, 3, 4].map(read))
  expect(all.map(([first]) => first)).toEqual([0, 1, 2, 3, 4])
  const groups = new Set([0, 1, 2, 3, 4].map((row) => file.placeOf(row).group)).size
  expect(unpacked).toHaveBeenCalledTimes(groups)
  await read(4)
  expect(unpacked).toHaveBeenCalledTimes(groups)
  await read(0)
  // Two groups are kept, so that of the first was let go.
  expect([groups, unpacked.mock.calls.length]).toEqual([3, 4])
  // And two are enough for rows that are scored side by side.
  for (const row of [2, 0, 2, 0, 2]) await read(row)
  expect(unpacked).toHaveBeenCalledTimes(5)
})
