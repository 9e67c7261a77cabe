import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { featuresOfFolder, featuresOfParquet, withClassNames } from '../../../src/lab/data/hub/features.js'
import { MediaCells } from '../../../src/lab/data/hub/media-cells.js'
import { ParquetFile } from '../../../src/lab/data/hub/parquet-file.js'
import { readDatasetFolder } from '../../../src/lab/data/hub/read-dataset-folder.js'
import { readIndex } from '../../../src/lab/data/read-index.js'
import { labeledRow, rowOf } from '../../../src/lab/data/row-fields.js'
import { selectRows } from '../../../src/lab/data/select-rows.js'
import { imageParquet } from '../../support/image-parquet.js'
import { dataRow } from '../../support/scored-rows.js'

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

describe('the label of a row', () => {
  const fakeOf = (label: unknown) => rowOf({ text: 'x', label }, '/', 'row 1').fake

  it.each(['fake', 'Machine', 'AI', 'generated', 'SYNTHETIC', 'spoof', '1', 1, true, 'true', ' fake '])(
    '%j is fake',
    (label) => {
      expect(fakeOf(label)).toBe(true)
    },
  )

  it.each(['real', 'Human', 'genuine', 'bonafide', 'authentic', '0', 0, false, 'false', '\treal\n'])(
    '%j is real',
    (label) => {
      expect(fakeOf(label)).toBe(false)
    },
  )

  it.each(['', '2', -1, 'not fake', 'unknown', null, undefined, ['fake'], { label: 'fake' }])(
    '%j is neither',
    (label) => {
      expect(() => fakeOf(label)).toThrow(expect.objectContaining({ reason: 'lab-data-invalid' }))
    },
  )
})

describe('the fields of a row', () => {
  it('are known by other names too; a column of its own goes before them, wherever it stands', () => {
    const before = rowOf({ file: 'a.jpg', path: 'b.jpg', label: 'real', made: 'fake' }, '/media', 'row 1')
    const behind = rowOf({ path: 'b.jpg', file: 'a.jpg', made: 'fake', label: 'real' }, '/media', 'row 1')
    for (const row of [before, behind])
      expect(row).toMatchObject({ id: 'b.jpg', fake: false, content: { file: '/media/b.jpg' } })
    expect(rowOf({ File_Name: 'c.jpg', LABELS: 'fake', Model: 'gan' }, '/media', '')).toMatchObject({
      id: 'c.jpg',
      fake: true,
      columns: { generator: 'gan' },
    })
  })

  it('that are no plain values are left out', () => {
    const row = rowOf(
      { text: 'x', label: 'real', tags: ['a'], more: { a: 1 }, none: null, year: 2026, ok: true },
      '/',
      '',
    )
    expect(row.columns).toEqual({ year: '2026', ok: 'true' })
  })

  it('name the row by its path, its id, or its place', () => {
    const text = { text: 'x', label: 'real' }
    expect(rowOf(text, '/', 'a.csv row 7').id).toBe('a.csv row 7')
    expect(rowOf({ ...text, id: 9 }, '/', 'a.csv row 7').id).toBe('9')
    expect(rowOf({ ...text, id: 9, path: 'p' }, '/', '').id).toBe('p')
  })

  it('with an empty path are of a text; with both, of the file', () => {
    expect(rowOf({ path: '', text: 'x', label: 'real' }, '/', '').content).toEqual({ text: 'x' })
    expect(rowOf({ path: 'a', text: 'x', label: 'real' }, '/', '').content).toEqual({ file: '/a' })
    expect(() => rowOf({ path: '', label: 'real' }, '/', 'row 3')).toThrow('row 3: there is neither a path nor a text')
  })

  it.each([
    ['', null],
    ['image', 'image'],
    ['video_long', 'video_long'],
  ])('state the media type %j as %j', (mediaType, expected) => {
    expect(labeledRow({ label: 'real', mediaType }, { text: '' }, '').mediaType).toBe(expected)
    expect(labeledRow({ label: 'real', media_type: mediaType }, { text: '' }, '').mediaType).toBe(expected)
  })

  it.each(['..', '../a', 'a/../../b', '/etc/passwd', '.', './', '..a/../../x'])('with the path %j lead out', (file) => {
    expect(() => rowOf({ path: file, label: 'real' }, '/media/set', 'row 1')).toThrow(/does not lie below \/media\/set/)
  })

  it.each([
    ['a', '/media/set/a'],
    ['./a/../b', '/media/set/b'],
    ['a..b/c', '/media/set/a..b/c'],
    ['/media/set/a', '/media/set/a'],
  ])('with the path %j lie within', (file, absolute) => {
    expect(rowOf({ path: file, label: 'real' }, '/media/set', 'row 1').content).toEqual({ file: absolute })
  })
})

describe('an index', () => {
  const read = async (name: string, text: string | Uint8Array) =>
    readIndex(await write(name, text), (fields, where) => rowOf(fields, folder, where))

  it.each([
    ['a.csv', ' text , label \n  one , real \n\n"two, with ""quotes""",fake\n', ['one', 'two, with "quotes"']],
    ['b.jsonl', '{"text":"one","label":0}\r\n\n{"text":"two","label":1}', ['one', 'two']],
    ['c.json.gz', gzipSync('[{"text":"one","label":0}]'), ['one']],
    ['d.csv.gz', gzipSync('text,label\none,0\n'), ['one']],
    ['e.json', '[]', []],
    ['f.jsonl', '\n\n', []],
  ])('%s', async (name, text, expected) => {
    const rows = await read(name, text)
    expect(rows.map(({ content }) => 'text' in content && content.text)).toEqual(expected)
  })

  it.each([
    ['g.jsonl', '{"text":"one","label":0}\n\n[1]\n', 'g.jsonl line 3 is not an object'],
    ['h.jsonl', '{"text":"one","label":0}\nnull', 'h.jsonl line 2 is not an object'],
    ['i.json', '[{"text":"one","label":0},{"label":0}]', 'i.json row 2: there is neither'],
    ['j.csv', 'text,label\na,real\nb,\n', 'j.csv row 2: label is ""'],
    ['k.jsonl.gz', gzipSync('{'), 'k.jsonl.gz line 1 is not JSON'],
    ['l.jsonl.gz', gzipSync('x'.repeat(1000)).subarray(0, 20), 'cannot be unpacked'],
    ['m.txt', '', 'is not .csv, .jsonl, .json'],
    ['n.CSV', 'text,label\na,real\n', 'is not .csv, .jsonl, .json'],
  ])('%s is refused with the place of the mistake', async (name, text, message) => {
    await expect(read(name, text)).rejects.toMatchObject({
      reason: 'lab-data-invalid',
      message: expect.stringContaining(message),
    })
  })
})

describe('the features of a dataset', () => {
  const label = new Map([['label', { names: ['real', 'fake'], mediaType: null }]])

  it.each([
    [0, 'real'],
    ['1', 'fake'],
    [2, 'class 2'],
    [-1, 'class -1'],
    ['fake', 'fake'],
    [1.5, 1.5],
    ['', ''],
  ])('give the class %j the name %j', (value, name) => {
    expect(withClassNames({ label: value, other: 0 }, label)).toEqual({ label: name, other: 0 })
  })

  it('of a parquet file are those of its note, or none', () => {
    const note = (features: unknown) => JSON.stringify({ info: { features } })
    expect(
      featuresOfParquet(note({ image: { _type: 'Image' }, sound: { _type: 'Audio' }, n: { _type: 'Value' } })),
    ).toEqual(
      new Map([
        ['image', { names: null, mediaType: 'image' }],
        ['sound', { names: null, mediaType: 'audio' }],
        ['n', { names: null, mediaType: null }],
      ]),
    )
    for (const bad of [undefined, '{', '[]', '{}', '{"info":{}}']) expect(featuresOfParquet(bad)).toBeNull()
  })

  it('skip a column of a shape that nobody knows, and keep the others', () => {
    const text = JSON.stringify({ info: { features: { nested: [{ a: 1 }], label: { names: ['x', 'y'] } } } })
    expect(featuresOfParquet(text)?.get('label')?.names).toEqual(['x', 'y'])
    expect(featuresOfParquet(text)?.get('nested')).toEqual({ names: null, mediaType: null })
  })

  const LABEL = { name: 'label', dtype: { class_label: { names: ['a', 'b'] } } }
  const card = (info: string) => `---\nlicense: mit\ndataset_info:\n${info}\n---\n# Text\n`
  const features = '  features:\n  - name: label\n    dtype:\n      class_label:\n        names:\n'

  it.each([
    [
      'numbered names in their order',
      card(`${features}          '10': k\n          '2': c\n          '0': a`),
      ['a', 'c', 'k'],
    ],
    ['a list of names', card(`${features}        - a\n        - b`), ['a', 'b']],
    ['several configurations', card(`  ${JSON.stringify([{ config_name: 'one', features: [LABEL] }])}`), ['a', 'b']],
    ['no head', '# Text\n', undefined],
    ['a head that is no YAML', '---\na: [\n---\n', undefined],
    ['a head that never ends', `---\n${features}        - a\n`, undefined],
  ])('of a card with %s', async (name, text, names) => {
    const place = path.join(folder, `card ${name}`)
    await write(`card ${name}/README.md`, text)
    expect((await featuresOfFolder(place)).get('label')?.names).toEqual(names)
  })

  it('of dataset_infos.json go before those of the card; a broken one counts as none', async () => {
    await write('both/README.md', card(`${features}        - card\n        - b`))
    const infos = await write('both/dataset_infos.json', '{"default":{"features":{"label":{"names":["infos","b"]}}}}')
    expect((await featuresOfFolder(path.dirname(infos))).get('label')?.names).toEqual(['infos', 'b'])
    await write('both/dataset_infos.json', '{')
    expect((await featuresOfFolder(path.dirname(infos))).get('label')?.names).toEqual(['card', 'b'])
  })
})

describe('a parquet file', () => {
  const pictures = (count: number) =>
    Array.from({ length: count }, (_, nth) => ({ bytes: Uint8Array.of(nth), path: `${nth}.png`, label: 0 }))

  it('knows where each row lies, and that there are no more', async () => {
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

  it('is unpacked a group at a time, each once while its rows are read in their order', async () => {
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
})

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

describe('a limit of rows', () => {
  const rows = Array.from({ length: 10 }, (_, nth) => ({ ...dataRow(`r${nth}`, nth < 3), mediaType: null }))

  it.each([
    [10, 3, 7],
    [9, 3, 6],
    [2, 1, 1],
    [1, 0, 1],
    [0, 0, 0],
  ])('of %i takes %i fakes and %i reals of three and seven', (limit, fakes, reals) => {
    const { rows: kept } = selectRows(rows, ['text'], limit)
    expect([kept.filter(({ fake }) => fake).length, kept.filter(({ fake }) => !fake).length]).toEqual([fakes, reals])
  })

  it('keeps the order, and the rows of a smaller limit among those of a larger one', () => {
    const ids = (limit: number) => selectRows(rows, ['text'], limit).rows.map(({ id }) => id)
    expect(ids(6)).toEqual(ids(6).toSorted())
    for (const id of ids(4)) expect(ids(8)).toContain(id)
  })

  it('is of rows that the package scores, of any of its types', () => {
    const typed = rows.map((row, nth) => ({ ...row, mediaType: nth === 9 ? ('audio' as const) : row.mediaType }))
    expect(selectRows(typed, ['image', 'audio'], null)).toMatchObject({ otherMedia: 0 })
    expect(
      selectRows(typed, ['image', 'audio'], null)
        .rows.map(({ mediaType }) => mediaType)
        .at(-1),
    ).toBe('audio')
    expect(selectRows(typed, ['image', 'audio'], null).rows[0]?.mediaType).toBe('image')
    expect(selectRows(typed, ['text'], 9)).toMatchObject({ otherMedia: 1, rows: { length: 9 } })
  })
})
