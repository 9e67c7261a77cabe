import fs from 'node:fs/promises'
import path from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { dataPaths, openDataDir, tryWriting } from '../../src/app/data-dir.js'
import { folderForEach } from '../support/temporary-folder.js'

const folder = folderForEach()
beforeEach(async () => {
  await fs.mkdir(path.join(folder, 'elsewhere'))
})

it.each(['cache', 'ledger/2026-01-31.jsonl', 'verdicts/ab', 'cache/sha256/ab/file'])(
  'a data directory whose %s is a symbolic link is refused by name',
  async (place) => {
    const link = path.join(folder, 'data', place)
    await fs.mkdir(path.dirname(link), { recursive: true })
    await fs.symlink(path.join(folder, 'elsewhere'), link)
    await expect(openDataDir(path.join(folder, 'data'))).rejects.toMatchObject({
      reason: 'data-dir-unusable',
      message: `${link} is a symbolic link, which attestd does not follow.`,
    })
  },
)

const at = (...names: string[]) => path.join(folder, ...names)
const mode = async (file: string) => ((await fs.stat(file)).mode & 0o777).toString(8)

describe('the data directory', () => {
  it('is readable by its owner only, with all its subfolders', async () => {
    const paths = await openDataDir(at('deep', 'data'))
    expect(await mode(at('deep', 'data'))).toBe('700')
    expect(await fs.readdir(at('deep', 'data'))).toEqual([])
    expect(paths).toEqual(dataPaths(at('deep', 'data')))
    expect(new Set(Object.values(paths)).size).toBe(Object.keys(paths).length)
  })

  it('may be a symbolic link itself, and may hold any number of folders', async () => {
    await fs.mkdir(at('elsewhere', 'cache', 'sha256', 'ab'), { recursive: true })
    await fs.symlink(at('elsewhere'), at('data'))
    expect((await openDataDir(at('data'))).cache).toBe(at('data', 'cache'))
  })

  it('is refused where its path is a file', async () => {
    await fs.writeFile(at('file'), '')
    await expect(openDataDir(at('file'))).rejects.toMatchObject({ reason: 'data-dir-unusable' })
  })
})

it('leftovers of killed processes are removed after an hour, and files in progress are kept', async () => {
  const data = at('data')
  for (const name of ['cache', 'drift', 'admissions']) await fs.mkdir(path.join(data, name), { recursive: true })
  const files = ['.probe', 'cache/.probe', 'control.json', 'detectors.json', 'drift/d.json', 'admissions/d.json']
  for (const name of files) await fs.writeFile(path.join(data, `${name}.0123456789ab.tmp`), '{')
  await fs.writeFile(path.join(data, 'control.json.ba9876543210.tmp'), '{')
  const old = Date.now() / 1000 - 2 * 3600
  for (const name of files) await fs.utimes(path.join(data, `${name}.0123456789ab.tmp`), old, old)
  await openDataDir(data)
  expect((await fs.readdir(data, { recursive: true })).toSorted()).toEqual([
    'admissions',
    'cache',
    'control.json.ba9876543210.tmp',
    'drift',
  ])
})

it('a write test leaves nothing behind, and throws the error of the file system', async () => {
  await tryWriting(folder)
  expect(await fs.readdir(folder)).toEqual(['elsewhere'])
  await expect(tryWriting(at('nowhere'))).rejects.toMatchObject({ code: 'ENOENT' })
})
