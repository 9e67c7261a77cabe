import { mkdtempSync, rmSync } from 'node:fs'
import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../../src/core/clock.js'
import { silentLog } from '../../src/core/log.js'
import { openEmbedded } from '../../src/queue/embedded/open-embedded.js'
import { SCRATCH_VARIABLE } from './daemon-scratch.js'

const MAKING_LIMIT_MS = 180_000

let template: Promise<string> | undefined

/**
 * Puts an embedded queue that is made but empty into a data directory. Making one costs about five seconds of processor
 * time, so a test run makes one and copies it.
 */
export async function placeEmptyQueue(dataDir: string): Promise<void> {
  template ??= findOrMake()
  await fs.mkdir(path.join(dataDir, 'queue'), { recursive: true })
  await fs.cp(await template, path.join(dataDir, 'queue', 'pg'), { recursive: true })
}

/** The first test process of a run makes it, the others wait for that. */
async function findOrMake(): Promise<string> {
  const scratch = process.env[SCRATCH_VARIABLE] ?? ownScratch()
  const done = path.join(scratch, 'queue-template')
  const isFirst = await fs.mkdir(`${done}.making`).then(
    () => true,
    () => false,
  )
  if (isFirst) {
    const backing = await openEmbedded(`${done}.draft`, { clock: systemClock, log: silentLog })
    await backing.close()
    await fs.rename(`${done}.draft`, done)
  }
  const deadline = performance.now() + MAKING_LIMIT_MS
  while (!(await exists(done))) {
    if (performance.now() > deadline) throw new Error('another test process did not finish the queue template')
    await sleep(50)
  }
  return path.join(done, 'pg')
}

/** For scripts that run outside the test runner. */
function ownScratch(): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'attestd-scratch-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

async function exists(file: string): Promise<boolean> {
  return fs.access(file).then(
    () => true,
    () => false,
  )
}
