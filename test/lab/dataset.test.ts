import path from 'node:path'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { describe, expect, it } from 'vitest'
import type { DataRow } from '../../src/lab/data/data-row.js'
import { readData } from '../../src/lab/data/read-data.js'
import { imageParquet, type Picture } from '../support/image-parquet.js'
import { folderForEach } from '../support/temporary-folder.js'
import { rowFiles } from './data/row-files.js'

const folder = folderForEach()

const { write } = rowFiles(folder)

const picture = (nth: number, label: number): Picture => ({
  bytes: Uint8Array.of(nth, 1, 2),
  path: `${nth}.png`,
  label,
})

async function bytesOf({ content }: DataRow): Promise<number[]> {
  if (!('bytes' in content)) throw new Error('no bytes')
  return [...(await content.bytes())]
}

const refused = (text: string | RegExp) => ({ reason: 'lab-data-invalid', message: expect.stringMatching(text) })

describe('a parquet file', () => {
  it('returns the media of each row, with its class names, from any row group and in any order', async () => {
    const rows = [picture(0, 0), picture(1, 1), picture(2, 0), picture(3, 1), picture(4, 0)]
    const file = await write('pack.parquet', imageParquet(rows, ['fake', 'real']))
    const { rows: read } = await readData(file, null)
    expect(read.map(({ fake }) => fake)).toEqual([true, false, true, false, true])
    expect(read[3]).toMatchObject({
      id: 'pack.parquet row 4',
      mediaType: 'image',
      columns: { generator: 'sdxl', split: '-' },
    })
    for (const nth of [4, 0, 3, 1, 2]) expect(await bytesOf(read[nth]!)).toEqual([nth, 1, 2])
  })

  it('returns texts, and reads 0 and 1 as everywhere without class names', async () => {
    const buffer = parquetWriteBuffer({
      columnData: [
        { name: 'text', data: ['Prose.', 'More.'], type: 'STRING' },
        { name: 'label', data: [0, 1], type: 'INT32' },
      ],
    })
    const { rows } = await readData(await write('t.parquet', new Uint8Array(buffer)), null)
    expect(rows.map(({ content, fake, mediaType }) => [content, fake, mediaType])).toEqual([
      [{ text: 'Prose.' }, false, 'text'],
      [{ text: 'More.' }, true, 'text'],
    ])
  })

  it('returns texts and labels that are not marked as texts', async () => {
    const bytes = (texts: string[]) => texts.map((text) => Buffer.from(text))
    const buffer = parquetWriteBuffer({
      columnData: [
        { name: 'text', data: [...bytes(['Prosé.']), Uint8Array.of(0xff)], type: 'BYTE_ARRAY' },
        { name: 'label', data: bytes(['human', 'ai']), type: 'BYTE_ARRAY' },
      ],
    })
    const { rows } = await readData(await write('bytes.parquet', new Uint8Array(buffer)), null)
    expect(rows.map(({ content, fake }) => [content, fake])).toEqual([
      [{ text: 'Prosé.' }, false],
      [{ text: '' }, true],
    ])
  })

  it('with more rows than a call accepts arguments is read completely', async () => {
    const count = 140_000
    const buffer = parquetWriteBuffer({
      columnData: [
        { name: 'text', data: Array.from({ length: count }, () => 'x'), type: 'STRING' },
        { name: 'label', data: Array.from({ length: count }, (_, nth) => nth % 2), type: 'INT32' },
      ],
    })
    const { rows } = await readData(await write('many.parquet', new Uint8Array(buffer)), null)
    expect([rows.length, rows.at(-1)?.fake]).toEqual([count, true])
  })

  it.each<[string, () => Uint8Array, RegExp]>([
    ['is none', () => Buffer.from('not parquet at all'), /cannot be read as parquet/],
    ['was cut', () => imageParquet([picture(0, 0)]).subarray(0, 60), /cannot be read as parquet/],
    ['has a class that is neither', () => imageParquet([picture(0, 0)], ['cat', 'dog']), /label is "cat"/],
    ['has a class without a name', () => imageParquet([picture(0, 7)], ['real', 'fake']), /label is "class 7"/],
    [
      'has no media',
      () => new Uint8Array(parquetWriteBuffer({ columnData: [{ name: 'label', data: [1], type: 'INT32' }] })),
      /neither a column of \{ bytes, path \} nor one named text/,
    ],
  ])('that %s is refused', async (_name, bytes, message) => {
    await expect(readData(await write('x.parquet', bytes()), null)).rejects.toMatchObject(refused(message))
  })

  it('with media elsewhere, or with broken pages, is refused when a row is read', async () => {
    const absent = await readData(await write('a.parquet', imageParquet([{ ...picture(0, 1), bytes: null }])), null)
    await expect(bytesOf(absent.rows[0]!)).rejects.toMatchObject(refused('row 1: image holds no bytes'))
    const good = imageParquet([picture(0, 1)])
    const at = Buffer.from(good).indexOf(Uint8Array.of(0, 1, 2))
    const broken = await readData(await write('b.parquet', good.fill(0xff, 4, at)), null)
    await expect(bytesOf(broken.rows[0]!)).rejects.toMatchObject(refused('cannot be read as parquet'))
  })
})

describe('a dataset folder', () => {
  it('of shards has the names of its card and each split as a column', async () => {
    await write('data/train-00000-of-00002.parquet', imageParquet([picture(0, 0)]))
    await write('data/train-00001-of-00002.parquet', imageParquet([picture(1, 1)]))
    await write('data/test-00000-of-00001.parquet', imageParquet([picture(2, 0)]))
    const classes = "    dtype:\n      class_label:\n        names:\n          '0': fake\n          '1': real\n"
    const head = `dataset_info:\n  features:\n  - name: image\n    dtype: image\n  - name: label\n${classes}`
    await write('README.md', `---\n${head}---\n# A dataset\n`)
    const { rows } = await readData(folder, null)
    expect(rows.map(({ id, fake, columns, mediaType }) => [id, fake, columns.split, mediaType])).toEqual([
      ['data/test-00000-of-00001.parquet row 1', true, 'test', 'image'],
      ['data/train-00000-of-00002.parquet row 1', true, 'train', 'image'],
      ['data/train-00001-of-00002.parquet row 1', false, 'train', 'image'],
    ])
    const [only] = (await readData(path.join(folder, 'data', 'test-00000-of-00001.parquet'), null)).rows
    expect([only?.fake, await bytesOf(only!)]).toEqual([true, [2, 1, 2]])
  })

  it('of files with metadata files is read in each split', async () => {
    await write('train/metadata.csv', 'file_name,label\na.wav,fake\n')
    await write('test/metadata.jsonl', '{"file_name":"a.wav","label":"real","system":"x"}\n')
    const { rows } = await readData(folder, null)
    expect(rows).toEqual([
      {
        id: 'test/a.wav',
        fake: false,
        mediaType: null,
        columns: { split: 'test', generator: 'x' },
        content: { file: path.join(folder, 'test', 'a.wav') },
      },
      expect.objectContaining({ id: 'train/a.wav', fake: true, columns: { split: 'train' } }),
    ])
  })

  it('of files whose metadata names one outside is refused', async () => {
    await write('metadata.csv', 'file_name,label\n../a.wav,fake\n')
    await expect(readData(folder, null)).rejects.toMatchObject(refused('does not lie below'))
  })
})
