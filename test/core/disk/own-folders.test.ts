import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { privateFolder } from '../../../src/core/disk/own-folders.js'

let shared: string
beforeEach(async () => {
  shared = await fs.realpath(await fs.mkdtemp(path.join(os.tmpdir(), 'attestd-own-')))
})
afterEach(() => fs.rm(shared, { recursive: true }))

const uid = process.getuid?.()
const usual = () => path.join(shared, `places-${uid}`)

it('a folder below a shared one is open to this user alone, and found again', async () => {
  const folder = await privateFolder(shared, 'places-')
  expect(folder).toBe(usual())
  expect((await fs.stat(folder)).mode & 0o777).toBe(0o700)
  expect(await privateFolder(shared, 'places-')).toBe(folder)
})

it.each<[string, (victim: string) => Promise<void>]>([
  ['a link to a folder', (victim) => fs.symlink(victim, usual())],
  ['a file', () => fs.writeFile(usual(), '')],
  ['a folder that others can write to', () => fs.mkdir(usual()).then(() => fs.chmod(usual(), 0o777))],
  ['a folder of another user', () => fs.mkdir(usual(), 0o700).then(() => fs.chown(usual(), 65_534, 65_534))],
])('%s that stands in its place is not taken for it', async (what, put) => {
  // Only root can give a folder away.
  if (what.endsWith('another user') && uid !== 0) return
  const victim = path.join(shared, 'victim')
  await fs.mkdir(victim, 0o700)
  await put(victim)
  const folder = await privateFolder(shared, 'places-')
  expect(path.dirname(folder)).toBe(shared)
  expect([usual(), victim]).not.toContain(folder)
  expect(await fs.stat(folder)).toMatchObject({ uid })
  expect((await fs.stat(folder)).mode & 0o777).toBe(0o700)
})
