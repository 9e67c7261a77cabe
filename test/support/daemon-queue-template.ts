import { mkdtempSync, rmSync } from 'node:fs'
import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { silentLog } from '../../src/core/log.js'
import { openEmbedded } from '../../src/queue/embedded/open-embedded.js'

let template: Promise<string> | undefined

/**
 * Puts an embedded queue that is made but empty into a data directory. Making one costs five seconds of processor
 * time, so a test process makes one and copies it.
 */
export async function placeEmptyQueue(dataDir: string): Promise<void> {
  template ??= makeTemplate()
  await fs.mkdir(path.join(dataDir, 'queue'), { recursive: true })
  await fs.cp(await template, path.join(dataDir, 'queue', 'pg'), { recursive: true })
}

async function makeTemplate(): Promise<string> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'attestd-queue-template-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const backing = await openEmbedded(folder, { log: silentLog })
  await backing.close()
  return path.join(folder, 'pg')
}
