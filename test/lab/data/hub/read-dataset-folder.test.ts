import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { readDatasetFolder } from '../../../../src/lab/data/hub/read-dataset-folder.js'
import { rowFiles } from '../row-files.js'

const files = rowFiles()
const { write } = files

describe('a dataset folder', () => {
  it('skips hidden files', async () => {
    await write('hidden/.git/train/metadata.csv', 'file_name,label\na,fake\n')
    await write('hidden/.cache/x.parquet', 'x')
    await write('hidden/metadata.csv', 'file_name,label\na,real\n')
    const rows = await readDatasetFolder(path.join(files.path, 'hidden'))
    expect(rows.map(({ id, fake, columns }) => [id, fake, columns])).toEqual([['a', false, { split: '-' }]])
  })

  it('with classes by number has their names', async () => {
    await write('numbers/dataset_infos.json', '{"default":{"features":{"label":{"names":["fake","real"]}}}}')
    await write('numbers/metadata.jsonl', '{"file_name":"a","label":0}\n{"file_name":"b","label":1}\n')
    const rows = await readDatasetFolder(path.join(files.path, 'numbers'))
    expect(rows.map(({ fake }) => fake)).toEqual([true, false])
  })

  it('with real/ alone lacks the other class', async () => {
    await write('half/real/a.jpg', 'x')
    await expect(readDatasetFolder(path.join(files.path, 'half'))).rejects.toThrow(
      /holds no folder for each class, such as real/,
    )
  })
})
