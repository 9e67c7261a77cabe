import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { featuresOfFolder, featuresOfParquet, withClassNames } from '../../../../src/lab/data/hub/features.js'
import { rowFiles } from '../row-files.js'

const files = rowFiles()
const { write } = files

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

  it('of a parquet file are those of its metadata, or none', () => {
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

  it('skip a column of unknown shape, and keep the others', () => {
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
    const place = path.join(files.path, `card ${name}`)
    await write(`card ${name}/README.md`, text)
    expect((await featuresOfFolder(place)).get('label')?.names).toEqual(names)
  })

  it('of dataset_infos.json override those of the card; a broken file counts as none', async () => {
    await write('both/README.md', card(`${features}        - card\n        - b`))
    const infos = await write('both/dataset_infos.json', '{"default":{"features":{"label":{"names":["infos","b"]}}}}')
    expect((await featuresOfFolder(path.dirname(infos))).get('label')?.names).toEqual(['infos', 'b'])
    await write('both/dataset_infos.json', '{')
    expect((await featuresOfFolder(path.dirname(infos))).get('label')?.names).toEqual(['card', 'b'])
  })
})
