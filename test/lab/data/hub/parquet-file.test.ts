import { expect, it } from 'vitest'
import { ParquetFile } from '../../../../src/lab/data/hub/parquet-file.js'
import { imageParquet } from '../../../support/image-parquet.js'
import { rowFiles } from '../row-files.js'

const files = rowFiles()
const { write } = files

const pictures = (count: number) =>
  Array.from({ length: count }, (_, nth) => ({ bytes: Uint8Array.of(nth), path: `${nth}.png`, label: 0 }))

it('a parquet file knows where each row lies, and that there are no more', async () => {
  const file = await ParquetFile.open(await write('place.parquet', imageParquet(pictures(5))))
  const places = [0, 1, 2, 3, 4].map((row) => file.placeOf(row))
  let [group, nth] = [0, -1]
  for (const place of places) {
    if (place.group === group) nth++
    else [group, nth] = [group + 1, 0]
    expect(place).toEqual({ group, nth })
  }
  expect(group).toBeGreaterThan(0)
  expect(() => file.placeOf(5)).toThrow(/has no row 6/)
  expect(file.note('absent')).toBeUndefined()
  expect(await file.records([])).toEqual([{}, {}, {}, {}, {}])
})
