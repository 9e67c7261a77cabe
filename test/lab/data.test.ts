import fs from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { readData } from '../../src/lab/data/read-data.js'
import { withReason } from '../support/with-reason.js'
import { rowFiles } from './data/row-files.js'

const { path: folder, write } = rowFiles()

describe('labeled data', () => {
  it('may be a CSV, with the column names that packs use', async () => {
    const index = await write(
      'a.csv',
      '\uFEFFpath,label,source,system,lang\nimg/1.jpg,fake,"Lab, A",GAN,en\n2.jpg,0,B,-,de\n',
    )
    const { rows } = await readData(index, null)
    expect(rows).toEqual([
      {
        id: 'img/1.jpg',
        fake: true,
        mediaType: null,
        columns: { source: 'Lab, A', generator: 'GAN', lang: 'en' },
        content: { file: path.join(folder, 'img/1.jpg') },
      },
      expect.objectContaining({ id: '2.jpg', fake: false, columns: { source: 'B', generator: '-', lang: 'de' } }),
    ])
    const elsewhere = await readData(index, '/media')
    expect(elsewhere.rows[0]?.content).toEqual({ file: '/media/img/1.jpg' })
  })

  it('contain no file behind a symbolic link out of the root', async () => {
    const outside = await write('outside/secret.jpg', 'x')
    const index = await write('pack/index.csv', 'path,label\nlink.jpg,fake\n')
    await fs.symlink(outside, path.join(folder, 'pack', 'link.jpg'))
    await expect(readData(index, null)).rejects.toThrow(withReason('lab-data-invalid', 'link.jpg leads out of'))
    await write('link.jpg', 'x')
    expect((await readData(index, folder)).rows).toHaveLength(1)
  })

  it('contain no folder real/ that is a symbolic link to elsewhere', async () => {
    await write('private/holiday.jpg', 'x')
    await write('labeled/fake/1.jpg', 'x')
    await fs.symlink(path.join(folder, 'private'), path.join(folder, 'labeled', 'real'))
    await expect(readData(path.join(folder, 'labeled'), null)).rejects.toMatchObject({ reason: 'lab-data-invalid' })
  })

  it('contain links in real/ and fake/ as their target files, but none to elsewhere', async () => {
    const file = await write('linked/real/1.jpg', 'x')
    await write('linked/fake/1.jpg', 'x')
    await fs.symlink(file, path.join(folder, 'linked', 'fake', '2.jpg'))
    const { rows } = await readData(path.join(folder, 'linked'), null)
    expect(rows.map(({ id }) => id)).toEqual(['real/1.jpg', 'fake/1.jpg', 'fake/2.jpg'])
    await fs.symlink(await write('outside.jpg', 'x'), path.join(folder, 'linked', 'fake', '3.jpg'))
    await expect(readData(path.join(folder, 'linked'), null)).rejects.toThrow(
      withReason('lab-data-invalid', 'fake/3.jpg leads out of'),
    )
  })

  it('may be a list such as the samples of the sandbox', async () => {
    const list = [{ file: 'x.jpg', made: 'machine', mediaType: 'image', title: 'X' }]
    const { rows } = await readData(await write('samples.json', JSON.stringify(list)), null)
    expect(rows).toEqual([
      expect.objectContaining({ id: 'x.jpg', fake: true, mediaType: 'image', columns: { title: 'X' } }),
    ])
  })

  it('may be a folder; the folders between are the source', async () => {
    for (const name of ['d/real/cam/1.jpg', 'd/real/2.jpg', 'd/fake/sdxl/v1/3.jpg', 'd/fake/.DS_Store'])
      await write(name, 'x')
    const { rows } = await readData(path.join(folder, 'd'), null)
    expect(rows.map(({ id, fake, columns }) => [id, fake, columns])).toEqual([
      ['real/2.jpg', false, { source: '-', generator: '-' }],
      ['real/cam/1.jpg', false, { source: 'cam', generator: '-' }],
      ['fake/sdxl/v1/3.jpg', true, { source: 'sdxl/v1', generator: 'sdxl/v1' }],
    ])
  })

  it.each([
    ['lable.csv', 'path,lable\nx.jpg,real\n', /row 1: there is no column label, but lable; name one label/],
    ['none.csv', 'path,label\n', /holds no rows/],
    ['ragged.csv', 'path,label\na,real,more\n', /is not CSV/],
    ['type.csv', 'path,label,mediaType\na,real,hologram\n', /mediaType is hologram/],
    ['object.json', '{}', /is not a list/],
    ['pack.tar', 'x', /tar xf/],
  ])('%s is refused with its reason', async (name, content, message) => {
    await expect(readData(await write(name, content), null)).rejects.toThrow(message)
    await expect(readData(path.join(folder, name), null)).rejects.toMatchObject({ reason: 'lab-data-invalid' })
  })

  it('a folder without its two folders, and a missing index', async () => {
    await expect(readData(path.join(folder, 'd/real'), null)).rejects.toThrow(
      /holds no folder for each class, such as real/,
    )
    await expect(readData(path.join(folder, 'gone.csv'), null)).rejects.toThrow(/cannot be read/)
  })

  it.each([
    ['REAL', 'FAKE'],
    ['0', '1'],
    ['human', 'ai'],
  ])('may have the folders %s and %s as classes', async (real, fake) => {
    const root = path.join(folder, `classes-${real}`)
    for (const name of [real, fake]) {
      await fs.mkdir(path.join(root, name), { recursive: true })
      await fs.writeFile(path.join(root, name, `${name}.jpg`), name)
    }
    const { rows } = await readData(root, null)
    expect(rows.map(({ fake: isFake, id }) => [id, isFake])).toEqual([
      [`${real}/${real}.jpg`, false],
      [`${fake}/${fake}.jpg`, true],
    ])
  })

  it('refuse a parent of the right folder, and a dataset of save_to_disk, with the fix', async () => {
    const above = path.join(folder, 'above')
    for (const name of ['real', 'fake']) await fs.mkdir(path.join(above, 'train', name), { recursive: true })
    await expect(readData(above, null)).rejects.toMatchObject({ fix: `Name a folder that does: ${above}/train.` })
    const saved = path.join(folder, 'saved')
    await fs.mkdir(saved)
    await fs.writeFile(path.join(saved, 'data-00000-of-00001.arrow'), '')
    await expect(readData(saved, null)).rejects.toMatchObject({ fix: expect.stringContaining('to_parquet') })
  })
})
