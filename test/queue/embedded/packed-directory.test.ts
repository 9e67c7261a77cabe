import fs from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../../../src/core/clock.js'
import { placeEmptyDatabase } from '../../../src/queue/embedded/empty-database.js'
import { packDirectory, unpackDirectory } from '../../../src/queue/embedded/packed-directory.js'
import { folderForEach } from '../../support/temporary-folder.js'

const folder = folderForEach()
const at = (...names: string[]) => path.join(folder, ...names)

/** Every file with its content, every directory with a slash behind. */
async function tree(directory: string): Promise<Record<string, string>> {
  const found = await fs.readdir(directory, { recursive: true, withFileTypes: true })
  const entries = await Promise.all(
    found.map(async (each) => {
      const file = path.join(each.parentPath, each.name)
      const name = path.relative(directory, file)
      return each.isDirectory() ? [`${name}/`, ''] : [name, await fs.readFile(file, 'latin1')]
    }),
  )
  return Object.fromEntries(entries.toSorted(([a], [b]) => ((a as string) < (b as string) ? -1 : 1)))
}

async function sample(): Promise<string> {
  const directory = at('original')
  await fs.mkdir(path.join(directory, 'a', 'deep', 'empty'), { recursive: true })
  await fs.mkdir(path.join(directory, 'a b'))
  await fs.writeFile(path.join(directory, 'a', 'deep', 'file'), Buffer.from([0, 255, 10, 13]))
  await fs.writeFile(path.join(directory, 'a', 'nothing'), '')
  for (let nth = 0; nth < 40; nth++) await fs.writeFile(path.join(directory, 'a b', `${nth}`), `content ${nth}`)
  return directory
}

describe('a packed directory', () => {
  it.each([false, true])(
    'is restored with every file and every empty folder, for its owner only (fsync: %s)',
    async (fsync) => {
      const directory = await sample()
      await unpackDirectory(await packDirectory(directory), at('copy'), fsync)
      expect(await tree(at('copy'))).toEqual(await tree(directory))
      expect(Object.keys(await tree(at('copy')))).toContain('a/deep/empty/')
      const modes = await Promise.all(
        ['.', 'a', 'a/deep', 'a/nothing', 'a b/7'].map(async (name) => (await fs.stat(at('copy', name))).mode & 0o077),
      )
      expect(new Set(modes)).toEqual(new Set([0]))
    },
  )

  it('has reproducible bytes, so that builds can be compared', async () => {
    const directory = await sample()
    expect((await packDirectory(directory)).equals(await packDirectory(directory))).toBe(true)
  })

  it('that is something else is refused', async () => {
    await expect(unpackDirectory(Buffer.from('not packed'), at('copy'), false)).rejects.toThrow()
  })
})

describe('an empty database', () => {
  it('is placed as a whole, over whatever a kill left unfinished', async () => {
    const packed = at('packed.gz')
    await fs.writeFile(packed, await packDirectory(await sample()))
    await fs.mkdir(at('database.new', 'half'), { recursive: true })
    await placeEmptyDatabase(at('database'), false, systemClock, packed)
    expect(await tree(at('database'))).toEqual(await tree(at('original')))
    await expect(fs.stat(at('database.new'))).rejects.toMatchObject({ code: 'ENOENT' })
  })

  it('is not placed where the packed one is broken', async () => {
    const packed = at('packed.gz')
    await fs.writeFile(packed, (await packDirectory(await sample())).subarray(0, -20))
    await expect(placeEmptyDatabase(at('database'), false, systemClock, packed)).rejects.toThrow()
    await expect(fs.stat(at('database'))).rejects.toMatchObject({ code: 'ENOENT' })
  })
})
