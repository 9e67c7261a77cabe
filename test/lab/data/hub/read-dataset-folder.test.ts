import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readDatasetFolder } from '../../../../src/lab/data/hub/read-dataset-folder.js'

let folder: string
beforeAll(async () => {
  folder = await fs.mkdtemp(path.join(os.tmpdir(), 'attestd-rows-'))
})
afterAll(() => fs.rm(folder, { recursive: true }))

async function write(name: string, data: string | Uint8Array): Promise<string> {
  const file = path.join(folder, name)
  await fs.mkdir(path.dirname(file), { recursive: true })
  await fs.writeFile(file, data)
  return file
}

describe('a dataset folder', () => {
  it('passes over what is hidden', async () => {
    await write('hidden/.git/train/metadata.csv', 'file_name,label\na,fake\n')
    await write('hidden/.cache/x.parquet', 'x')
    await write('hidden/metadata.csv', 'file_name,label\na,real\n')
    const rows = await readDatasetFolder(path.join(folder, 'hidden'))
    expect(rows.map(({ id, fake, columns }) => [id, fake, columns])).toEqual([['a', false, { split: '-' }]])
  })

  it('with classes by number has their names', async () => {
    await write('numbers/dataset_infos.json', '{"default":{"features":{"label":{"names":["fake","real"]}}}}')
    await write('numbers/metadata.jsonl', '{"file_name":"a","label":0}\n{"file_name":"b","label":1}\n')
    const rows = await readDatasetFolder(path.join(folder, 'numbers'))
    expect(rows.map(({ fake }) => fake)).toEqual([true, false])
  })

  it('with real/ alone lacks the other class', async () => {
    await write('half/real/a.jpg', 'x')
    await expect(readDatasetFolder(path.join(folder, 'half'))).rejects.toThrow(/holds no folder fake/)
  })
})
