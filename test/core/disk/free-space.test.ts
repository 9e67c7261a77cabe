import os from 'node:os'
import { expect, it } from 'vitest'
import { freeBytes, sizeText } from '../../../src/core/disk/free-space.js'

it('reads the free space of a real disk, and refuses a missing folder', async () => {
  expect(await freeBytes(os.tmpdir())).toBeGreaterThan(0)
  await expect(freeBytes('/nowhere/at/all')).rejects.toThrow('ENOENT')
})

it('prints a size in whole MiB, and a large one in GiB', () => {
  expect([sizeText(0), sizeText(300.9 * 1024 ** 2), sizeText(20.5 * 1024 ** 3)]).toEqual(['0 MiB', '300 MiB', '20 GiB'])
})
