import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openDataDir } from '../../src/app/data-dir.js'

let folder: string
beforeEach(async () => {
  folder = await fs.mkdtemp(path.join(os.tmpdir(), 'attestd-data-dir-'))
  await fs.mkdir(path.join(folder, 'elsewhere'))
})
afterEach(() => fs.rm(folder, { recursive: true }))

it.each(['cache', 'ledger/2026-01-31.jsonl', 'verdicts/ab', 'cache/sha256/ab/file'])(
  'a data directory whose %s is a symbolic link is refused by name',
  async (place) => {
    const link = path.join(folder, 'data', place)
    await fs.mkdir(path.dirname(link), { recursive: true })
    await fs.symlink(path.join(folder, 'elsewhere'), link)
    await expect(openDataDir(path.join(folder, 'data'))).rejects.toMatchObject({
      reason: 'data-dir-unusable',
      message: `${link} is a symbolic link, and none is followed.`,
    })
  },
)

it('the data directory itself may be a symbolic link, and hold any number of folders', async () => {
  const root = path.join(folder, 'data')
  await fs.mkdir(path.join(folder, 'elsewhere', 'cache', 'sha256', 'ab'), { recursive: true })
  await fs.symlink(path.join(folder, 'elsewhere'), root)
  expect((await openDataDir(root)).cache).toBe(path.join(root, 'cache'))
})
