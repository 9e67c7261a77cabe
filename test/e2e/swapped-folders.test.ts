import fs from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { benchOfTest } from '../support/bench-of-test.js'
import { filesBelow } from '../support/files-below.js'

/** What the daemon writes to while it works. */
const FOLDERS = ['ledger', 'verdicts', 'cache', 'admissions', 'drift']
const SWAPPED_MS = 30
const OLD = new Date('2020-01-01')

/** Old files of somebody else, with names that prune and eviction look for. */
async function placeVictims(folder: string): Promise<string[]> {
  const names = ['keep.txt', '2020-01-01.jsonl', 'ab/old', `sha256/ab/ab${'0'.repeat(62)}`, 'work/elsewhere_1_x/kept']
  for (const name of names) {
    const file = path.join(folder, name)
    await fs.mkdir(path.dirname(file), { recursive: true })
    await fs.writeFile(file, name)
    await fs.utimes(file, OLD, OLD)
  }
  return names
}

/** Puts a symbolic link in the place of the folder for a moment, unless the daemon has made the folder again. */
async function swap(place: string, elsewhere: string): Promise<void> {
  const aside = `${place}-aside`
  await fs.rename(place, aside)
  await fs.symlink(elsewhere, place).catch(refusedBy('EEXIST'))
  await sleep(SWAPPED_MS)
  while (!(await isPutBack(aside, place))) {
    // What the daemon wrote into a folder that it made meanwhile is its own and stays.
    const made = `${place}-made`
    await fs.rename(place, made)
    await appendFiles(made, aside)
    await fs.rm(made, { recursive: true })
  }
}

async function isPutBack(aside: string, place: string): Promise<boolean> {
  if ((await fs.lstat(place).catch(refusedBy('ENOENT')))?.isSymbolicLink()) await fs.unlink(place)
  return (await fs.rename(aside, place).then(() => true, refusedBy('ENOTEMPTY'))) ?? false
}

/** @returns a handler that answers undefined to the error of that code and throws every other */
function refusedBy(code: string): (error: NodeJS.ErrnoException) => undefined {
  return (error) => {
    if (error.code !== code) throw error
  }
}

async function appendFiles(from: string, to: string): Promise<void> {
  for (const name of await filesBelow(from)) {
    const target = path.join(to, name)
    await fs.mkdir(path.dirname(target), { recursive: true })
    await fs.appendFile(target, await fs.readFile(path.join(from, name)))
  }
}

it('a daemon whose folders and files become symbolic links while it writes changes nothing behind them, and scores all', async () => {
  const bench = await benchOfTest()
  const elsewhere = path.join(bench.folder, 'elsewhere')
  const names = await placeVictims(elsewhere)
  const daemon = bench.startHere({ ATTESTD_MEDIA_CACHE_BYTES: '20000' })
  await daemon.ready()
  const data = (name: string) => path.join(bench.folder, 'main', name)
  await bench.registerMany(5, 'first')
  await bench.allScored()
  const present = await fs.readdir(data(''))
  const swapped = FOLDERS.filter((name) => present.includes(name))
  expect(swapped).toEqual(expect.arrayContaining(['ledger', 'verdicts', 'cache']))

  // Their content is replaced, never that of what they lead to.
  const detectors = data('detectors.json')
  await fs.rm(detectors, { force: true })
  await fs.symlink(path.join(elsewhere, 'keep.txt'), detectors)
  for (let round = 0; round < 2; round++) {
    await bench.registerMany(5, `round ${round}`)
    for (const name of swapped) await swap(data(name), elsewhere)
  }
  await bench.expectExactlyOneEach()
  expect(daemon.running).toBe(true)
  for (const name of names) {
    expect(await fs.readFile(path.join(elsewhere, name), 'utf8'), name).toBe(name)
    expect((await fs.stat(path.join(elsewhere, name))).mtime).toEqual(OLD)
  }
})
