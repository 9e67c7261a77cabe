import fs from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from 'vitest'
import { readOwnerFile } from '../../src/wallet/owner-file.js'
import { folderForAll } from '../support/temporary-folder.js'
import { withReason } from '../support/with-reason.js'

const folder = folderForAll()

async function write(name: string, text: string, mode = 0o600): Promise<string> {
  const file = path.join(folder, name)
  await fs.writeFile(file, text)
  await fs.chmod(file, mode)
  return file
}

it.each([0o600, 0o400])('a file with mode %o is read', async (mode) => {
  expect(await readOwnerFile(await write(`mode-${mode}`, 'grüße', mode), 'key', 100)).toBe('grüße')
})

it.each([
  [0o640, '0640'],
  [0o604, '0604'],
  [0o622, '0622'],
])('a file with mode %o is refused, with the fix', async (mode, text) => {
  const file = await write(`mode-${mode}`, 'secret', mode)
  await expect(readOwnerFile(file, 'key', 100)).rejects.toMatchObject({
    reason: 'wallet-unusable',
    message: `The key ${file} may be read by others (mode ${text}); run chmod 600 ${file}.`,
  })
})

it('a file is read up to a limit of bytes, not of characters', async () => {
  const file = await write('limit', 'üü')
  expect(await readOwnerFile(file, 'key', 4)).toBe('üü')
  await expect(readOwnerFile(file, 'key', 3)).rejects.toMatchObject({
    message: expect.stringContaining('larger than 3'),
  })
})

it.each([
  ['a folder', () => folder, 'is not a file'],
  ['nothing', () => path.join(folder, 'absent'), 'cannot be read (ENOENT)'],
  ['a device without an end', () => '/dev/zero', 'is not a file'],
])('%s is refused', async (_, file, message) => {
  await expect(readOwnerFile(file(), 'key', 100)).rejects.toThrow(withReason('wallet-unusable', message))
})

it('a link is followed, and its target is checked', async () => {
  const open = await write('open', 'x', 0o644)
  const own = await write('own', 'x')
  await fs.symlink(open, path.join(folder, 'to-open'))
  await fs.symlink(own, path.join(folder, 'to-own'))
  await expect(readOwnerFile(path.join(folder, 'to-open'), 'key', 9)).rejects.toThrow(/may be read by others/)
  expect(await readOwnerFile(path.join(folder, 'to-own'), 'key', 9)).toBe('x')
})
