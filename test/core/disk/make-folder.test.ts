import fs from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from 'vitest'
import { makeFolder } from '../../../src/core/disk/make-folder.js'
import { folderForTest } from '../../support/temporary-folder.js'

it('creates a folder and its parents, for its owner where asked, and accepts an existing one', async () => {
  const root = await folderForTest()
  const folder = path.join(root, 'a', 'b')
  await makeFolder(folder, 0o700)
  await makeFolder(folder, 0o700)
  expect((await fs.stat(folder)).mode & 0o777).toBe(0o700)
  const file = path.join(root, 'file')
  await fs.writeFile(file, '')
  await expect(makeFolder(file)).rejects.toMatchObject({ code: 'EEXIST' })
  await expect(makeFolder(path.join(file, 'below'))).rejects.toMatchObject({ code: 'ENOTDIR' })
})

it.skipIf(process.platform !== 'linux')('refuses at once below /proc, where mkdir of Node never returns', async () => {
  await expect(makeFolder('/proc/attestd/data')).rejects.toMatchObject({ code: 'ENOENT' })
})
