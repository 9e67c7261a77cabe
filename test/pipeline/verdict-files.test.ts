import fs from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { VerdictFiles } from '../../src/pipeline/verdict-files.js'
import { VerdictStore } from '../../src/pipeline/verdict-store.js'
import { storableDetection } from '../support/pipeline-parts.js'
import { folderForEach } from '../support/temporary-folder.js'

const BLOCK = 4096
const FOLDERS = 256
const DAY = 86_400_000

const folder = folderForEach()

const names = async () =>
  (await fs.readdir(folder, { recursive: true })).filter((name) => name.endsWith('.json')).sort()

/** Writes a file of one block and sets its age, in days: the clock of a disk is too coarse to tell them apart. */
async function write(files: VerdictFiles, name: string, days: number): Promise<void> {
  await files.write(name, '{}')
  const at = new Date(Date.now() - days * DAY)
  await fs.utimes(path.join(folder, name.slice(0, 2), name), at, at)
}

describe('the files of verdicts', () => {
  it('stay within the limit; the oldest are removed first, other folders are kept', async () => {
    const files = new VerdictFiles(folder, FOLDERS * 8 * BLOCK)
    await write(files, 'bb0.json', 100)
    for (let nth = 0; nth < 8; nth++) await write(files, `aa${nth}.json`, 50 - nth)
    expect(await names()).toHaveLength(9)
    await write(files, 'aa8.json', 1)
    expect(await names()).toEqual([...[2, 3, 4, 5, 6, 7, 8].map((nth) => `aa/aa${nth}.json`), 'bb/bb0.json'])
  })

  it('stay within the limit over a restart, and within a smaller one at once', async () => {
    const before = new VerdictFiles(folder, FOLDERS * 8 * BLOCK)
    for (let nth = 0; nth < 8; nth++) await write(before, `aa${nth}.json`, 50 - nth)
    await write(new VerdictFiles(folder, FOLDERS * 8 * BLOCK), 'aa8.json', 1)
    expect(await names()).toHaveLength(7)
    await new VerdictFiles(folder, FOLDERS * 2 * BLOCK).prune(365 * DAY, Date.now())
    expect(await names()).toEqual(['aa/aa8.json'])
  })

  it('that a killed process left unfinished are removed, active ones are kept', async () => {
    const files = new VerdictFiles(folder, FOLDERS * 8 * BLOCK)
    await write(files, 'aa0.json', 1)
    await write(files, 'aa1.json.0123456789ab.tmp', 1)
    await write(files, 'aa2.json.0123456789ab.tmp', 0)
    await files.prune(365 * DAY, Date.now())
    expect((await fs.readdir(path.join(folder, 'aa'))).sort()).toEqual(['aa0.json', 'aa2.json.0123456789ab.tmp'])
  })
})

it('the verdict store stays within its limit', async () => {
  const store = new VerdictStore(folder, null, FOLDERS * BLOCK)
  const detection = storableDetection({})
  for (let nth = 0; nth < 400; nth++) {
    const key = { contentHash: `0x${nth}`, detectorDigest: 'd', mediaType: 'image', platform: 'test' } as const
    await store.put({ ...key, expectedShare: 0.5 }, detection)
  }
  const sizes = await Promise.all((await names()).map(async (name) => (await fs.stat(path.join(folder, name))).size))
  expect(sizes.length).toBeGreaterThan(100)
  expect(sizes.reduce((sum, size) => sum + Math.ceil(size / BLOCK) * BLOCK, 0)).toBeLessThanOrEqual(FOLDERS * BLOCK)
})
