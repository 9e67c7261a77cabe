import { AsyncLocalStorage, createHook } from 'node:async_hooks'
import { createHash } from 'node:crypto'
import fs from 'node:fs/promises'
import path from 'node:path'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { describe, expect, it, onTestFinished } from 'vitest'
import { onDisk, spool } from '../../src/media/cache/spool.js'
import { createContentHasher } from '../../src/media/content-hash.js'
import { chunksOf } from '../support/chunks.js'
import { folderForTest } from '../support/temporary-folder.js'
import { someBytes } from './support/dag.js'
import { failure } from './support/media-parts.js'

describe('createContentHasher', () => {
  it.each([1, 1000, 65_536, 65_537, 1_000_000])('does not depend on chunks of %i bytes', async (size) => {
    const bytes = someBytes(300_000)
    const expected = {
      sha256: createHash('sha256').update(bytes).digest('hex'),
      keccak256: Buffer.from(keccak_256(bytes)).toString('hex'),
    }
    for (const algorithm of ['sha256', 'keccak256'] as const) {
      const hasher = createContentHasher(algorithm)
      for await (const chunk of chunksOf(bytes, size)) await hasher.update(chunk)
      expect(hasher.digest()).toBe(`0x${expected[algorithm]}`)
    }
  })

  it('yields to the event loop while it hashes a large chunk', async () => {
    let turns = 0
    let done = false
    const count = () => {
      turns += 1
      if (!done) setImmediate(count)
    }
    setImmediate(count)
    await createContentHasher('keccak256').update(new Uint8Array(1_048_576))
    done = true
    expect(turns).toBeGreaterThanOrEqual(15)
  })
})

describe('spool', () => {
  const limits = { algorithm: 'sha256', maxBytes: 1000 } as const

  it('removes the file when the stream fails, is empty or too large', async () => {
    const folder = await folderForTest()
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield someBytes(10)
      throw new Error('cut')
    }
    const file = path.join(folder, 'spooled')
    expect((await failure(spool(broken(), file, limits))).message).toBe('cut')
    expect((await failure(spool(chunksOf(new Uint8Array(), 1), file, limits))).reason).toBe('media-empty')
    expect((await failure(spool(chunksOf(someBytes(1001), 100), file, limits))).reason).toBe('media-too-large')
    expect(await fs.readdir(folder)).toEqual([])
    expect(await spool(chunksOf(someBytes(1000), 100), file, limits)).toMatchObject({ bytes: 1000 })
  })

  it.runIf(process.platform === 'linux')('names a full disk', async () => {
    const full = () => fs.writeFile('/dev/full', 'x')
    expect(await failure(onDisk(full))).toMatchObject({ reason: 'media-cache-failed', facts: { code: 'ENOSPC' } })
  })

  it('uses the thread pool once per chunk', async () => {
    const ours = new AsyncLocalStorage<true>()
    const ways: string[] = []
    const hook = createHook({
      init: (_id, type) => void (ours.getStore() && /^(FS|FILEHANDLE)/.test(type) && ways.push(type)),
    }).enable()
    onTestFinished(() => void hook.disable())
    const file = path.join(await folderForTest(), 'spooled')
    await ours.run(true, () => spool(chunksOf(someBytes(1000), 400), file, limits))
    expect(ways).toEqual(Array.from({ length: 3 }, () => 'FSREQCALLBACK'))
  })

  it('follows no symbolic link', async () => {
    const folder = await folderForTest()
    const link = path.join(folder, 'link')
    await fs.symlink(path.join(folder, 'elsewhere'), link)
    const error = await failure(spool(chunksOf(someBytes(100), 100), link, limits))
    expect(error).toMatchObject({ reason: 'media-cache-failed', facts: { code: 'EEXIST' } })
    expect(await fs.readdir(folder)).toEqual(['link'])
  })
})
