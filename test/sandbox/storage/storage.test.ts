import { randomBytes } from 'node:crypto'
import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { expect, it } from 'vitest'
import { silentLog } from '../../../src/core/log.js'
import { openStorage } from '../../../src/sandbox/storage/storage.js'
import { ManualClock } from '../../support/manual-clock.js'

it('removes what a killed sandbox did not finish, and nothing else', async () => {
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'attestd-storage-'))
  const media = path.join(folder, 'media')
  await fs.mkdir(media)
  for (const name of ['journal.jsonl.0123456789ab.tmp', 'media/block.0123456789ab.tmp', 'media/block', 'notes.tmp']) {
    await fs.writeFile(path.join(folder, name), 'half')
  }
  const storage = await openStorage(folder, randomBytes, new ManualClock(), silentLog)
  await storage.close()
  expect((await fs.readdir(folder)).filter((name) => name.endsWith('.tmp'))).toEqual(['notes.tmp'])
  expect(await fs.readdir(media)).toEqual(['block'])
  await fs.rm(folder, { recursive: true })
})
