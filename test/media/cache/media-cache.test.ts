import { spawn } from 'node:child_process'
import { once } from 'node:events'
import syncFs from 'node:fs'
import fs from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import os from 'node:os'
import path from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { systemClock } from '../../../src/core/clock.js'
import { silentLog } from '../../../src/core/log.js'
import { MediaCache, type MediaCacheOptions } from '../../../src/media/cache/media-cache.js'
import { spool } from '../../../src/media/cache/spool.js'
import type { MediaEvent } from '../../../src/media/media-event.js'
import { filesBelow } from '../../support/files-below.js'
import { ManualClock } from '../../support/manual-clock.js'
import { folderForTest } from '../../support/temporary-folder.js'
import { sha256Hex, someBytes, TestDag } from '../support/dag.js'
import { failure, onEnd, startGateway, startSource } from '../support/media-parts.js'

/** From the time of the file system on, which stamps new files. */
const clock = new ManualClock(Math.floor(Date.now() / 1000) * 1000 + 123)

async function openCache(options: Partial<MediaCacheOptions> = {}) {
  const folder = options.folder ?? (await folderForTest())
  const events: MediaEvent[] = []
  const cache = await MediaCache.open({
    folder,
    maxBytes: 10_000,
    algorithm: 'sha256',
    clock,
    log: silentLog,
    onEvent: (event) => events.push(event),
    ...options,
  })
  onEnd(() => cache.close())
  const store = async (bytes: Buffer) => {
    await clock.advance(1000)
    const source = (async function* () {
      yield bytes
    })()
    const spooled = await spool(source, cache.temporaryFile(), { algorithm: 'sha256', maxBytes: 1e9 })
    ;(await cache.commit(spooled)).release()
    return spooled.digest
  }
  const has = async (hash: string) => {
    const lease = await cache.acquire(hash)
    lease?.release()
    return lease !== null
  }
  return { cache, folder, events, store, has }
}

const fileOf = (folder: string, hash: string) => path.join(folder, 'sha256', hash.slice(2, 4), hash.slice(2))

describe('MediaCache', () => {
  it('does not take a symbolic link for its own file, even with the right bytes', async () => {
    const { cache, folder, has } = await openCache()
    const bytes = someBytes(500)
    const outside = path.join(await folderForTest(), 'file')
    await fs.writeFile(outside, bytes)
    const link = fileOf(folder, sha256Hex(bytes))
    await fs.mkdir(path.dirname(link), { recursive: true })
    await fs.symlink(outside, link)
    expect(await has(sha256Hex(bytes))).toBe(false)
    await cache.close()
    // Neither counted nor evicted by the next process.
    const { events } = await openCache({ folder, maxBytes: 1 })
    expect(events).toEqual([])
    expect((await fs.lstat(link)).isSymbolicLink()).toBe(true)
  })

  it('returns what was committed, read-only, under the content hash', async () => {
    const { cache, folder, store } = await openCache()
    const bytes = someBytes(500)
    const lease = await cache.acquire(await store(bytes))
    expect(Buffer.compare(await fs.readFile(lease!.file), bytes)).toBe(0)
    expect((await fs.stat(lease!.file)).mode & 0o777).toBe(0o400)
    expect(path.isAbsolute(lease!.file)).toBe(true)
    lease!.release()
    await expect.poll(() => filesBelow(folder)).toEqual([path.relative(folder, fileOf(folder, sha256Hex(bytes)))])
    expect(await cache.acquire(sha256Hex(someBytes(1)))).toBeNull()
  })

  it('names its reason where a folder of it became a file', async () => {
    const { cache, folder, store } = await openCache()
    const hash = await store(someBytes(500))
    await fs.rm(path.join(folder, 'sha256'), { recursive: true })
    await fs.writeFile(path.join(folder, 'sha256'), '')
    await expect(cache.acquire(hash)).rejects.toMatchObject({ reason: 'media-cache-failed' })
  })

  it('evicts the least recently used first', async () => {
    const { store, has, events } = await openCache()
    const a = await store(someBytes(4000, 'a'))
    const b = await store(someBytes(4000, 'b'))
    await clock.advance(1000)
    expect(await has(a)).toBe(true)
    const c = await store(someBytes(4000, 'c'))
    expect([await has(a), await has(b), await has(c)]).toEqual([true, false, true])
    expect(events).toEqual([{ type: 'cache', outcome: 'evicted', bytes: 4000 }])
  })

  it('remembers the order of use across a restart', async () => {
    const first = await openCache()
    const a = await first.store(someBytes(4000, 'a'))
    const b = await first.store(someBytes(4000, 'b'))
    await clock.advance(61_000)
    expect(await first.has(a)).toBe(true)
    await first.cache.close()
    const second = await openCache({ folder: first.folder, maxBytes: 5000 })
    expect([await second.has(a), await second.has(b)]).toEqual([true, false])
  })

  it('keeps files in use until they are released', async () => {
    const { cache, store, has } = await openCache()
    const a = await store(someBytes(6000, 'a'))
    const lease = await cache.acquire(a)
    const b = await store(someBytes(6000, 'b'))
    expect([await has(a), await has(b)]).toEqual([true, false])
    await store(someBytes(9000, 'c'))
    expect((await fs.readFile(lease!.file)).length).toBe(6000)
    lease!.release()
    lease!.release()
    await store(someBytes(9000, 'd'))
    expect(await has(a)).toBe(false)
  })

  it('keeps files in use when another process evicts them', async () => {
    const one = await openCache()
    const hash = await one.store(someBytes(6000, 'a'))
    const lease = await one.cache.acquire(hash)
    const two = await openCache({ folder: one.folder })
    await two.store(someBytes(6000, 'b'))
    expect(await one.has(hash)).toBe(false)
    expect(sha256Hex(await fs.readFile(lease!.file))).toBe(hash)
  })

  it('finds what another process committed', async () => {
    const one = await openCache()
    const two = await openCache({ folder: one.folder })
    expect(await two.has(await one.store(someBytes(100)))).toBe(true)
  })

  it.each([
    ['changed', (bytes: Buffer) => Buffer.concat([bytes.subarray(0, 499), Buffer.from([bytes[499]! ^ 1])])],
    ['cut', (bytes: Buffer) => bytes.subarray(0, 100)],
    ['emptied', () => Buffer.alloc(0)],
  ])('drops a file that was %s by another program', async (_, change) => {
    const { folder, store, has, events } = await openCache()
    const bytes = someBytes(500)
    const hash = await store(bytes)
    expect(await has(hash)).toBe(true)
    await fs.chmod(fileOf(folder, hash), 0o600)
    await fs.writeFile(fileOf(folder, hash), change(bytes))
    // Kernels note the time of a change by a tick of some milliseconds, within which the file may have been stored.
    const later = new Date(Date.now() + 1000)
    await fs.utimes(fileOf(folder, hash), later, later)
    expect(await has(hash)).toBe(false)
    expect(events).toContainEqual(expect.objectContaining({ type: 'cache', outcome: 'corrupt' }))
    await store(bytes)
    expect(await has(hash)).toBe(true)
  })

  it('drops a file that was damaged while the process was down', async () => {
    const first = await openCache()
    const hash = await first.store(someBytes(500))
    await first.cache.close()
    const file = fileOf(first.folder, hash)
    const { atime, mtime } = await fs.stat(file)
    await fs.chmod(file, 0o600)
    const rotten = someBytes(500)
    rotten[7]! ^= 1
    await fs.writeFile(file, rotten)
    await fs.utimes(file, atime, mtime)
    const second = await openCache({ folder: first.folder })
    expect(await second.has(hash)).toBe(false)
  })

  it('frees half of its space when the disk is full', async () => {
    const { cache, store, has } = await openCache()
    const hashes = [
      await store(someBytes(3000, 'a')),
      await store(someBytes(3000, 'b')),
      await store(someBytes(3000, 'c')),
    ]
    await cache.relieve()
    expect(await Promise.all(hashes.map(has))).toEqual([false, false, true])
  })

  it('removes leftovers of dead processes, and nothing of living ones', async () => {
    const folder = await folderForTest()
    const host = os.hostname().replaceAll(/[^a-zA-Z0-9.-]/g, '-')
    const sleeper = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
    onEnd(async () => {
      sleeper.kill('SIGKILL')
      await once(sleeper, 'exit')
    })
    const gone = spawn(process.execPath, ['-e', ''])
    await once(gone, 'exit')
    const living = [`${host}_${sleeper.pid}_aa`, 'elsewhere_1_aa']
    const dead = [`${host}_${gone.pid}_aa`, `${host}_${process.pid}_aa`, `${host}_nonsense`, 'elsewhere_2_aa']
    for (const name of [...living, ...dead]) {
      await fs.mkdir(path.join(folder, 'work', name), { recursive: true })
      await fs.writeFile(path.join(folder, 'work', name, '1'), 'half a download')
    }
    const dayAgo = Date.now() / 1000 - 25 * 3600
    await fs.utimes(path.join(folder, 'work', 'elsewhere_2_aa'), dayAgo, dayAgo)
    // By the clock of the disk, whatever that of this machine states.
    const ahead = { ...systemClock, now: () => Date.now() + 48 * 3_600_000 }
    const one = await openCache({ folder, clock: ahead })
    const two = await openCache({ folder, clock: ahead })
    const names = await fs.readdir(path.join(folder, 'work'))
    expect(names).toEqual(expect.arrayContaining(living))
    expect(names).not.toEqual(expect.arrayContaining([expect.stringMatching(/nonsense|elsewhere_2/)]))
    expect(names).toHaveLength(living.length + 2)
    // Both caches of this process still work.
    expect(await two.has(await one.store(someBytes(10)))).toBe(true)
  })

  it('ignores files that are not its own', async () => {
    const folder = await folderForTest()
    await fs.mkdir(path.join(folder, 'sha256'), { recursive: true })
    await fs.writeFile(path.join(folder, 'sha256', 'README'), someBytes(50_000))
    const { store, has } = await openCache({ folder })
    expect(await has(await store(someBytes(9000)))).toBe(true)
    expect(await filesBelow(folder)).toContain('sha256/README')
  })

  it('names an unusable folder', async () => {
    const folder = path.join(await folderForTest(), 'taken')
    await fs.writeFile(folder, 'a file')
    expect((await failure(openCache({ folder }))).reason).toBe('media-cache-failed')
  })
})

describe('fetching through the cache', () => {
  const content = someBytes(500_000)
  const contentHash = sha256Hex(content)

  async function setUp() {
    const dag = new TestDag()
    const uri = `ipfs://${await dag.add({ '': content })}`
    return { dag, uri, other: `ipfs://${await dag.add({ 'copy.bin': content })}/copy.bin` }
  }

  it('serves the same content under another URI from the cache', async () => {
    const { dag, uri, other } = await setUp()
    const gateway = await startGateway(dag)
    const source = await startSource({ gateways: [gateway.url] })
    const first = await source.fetch({ uri, contentHash })
    first.release()
    const upperCase = contentHash.toUpperCase().replace('0X', '0x')
    expect(await source.fetch({ uri: other, contentHash: upperCase })).toMatchObject({ bytes: content.length })
    expect(gateway.requests).toHaveLength(1)
    const outcomes = source.events.filter((event) => event.type === 'cache').map(({ outcome }) => outcome)
    expect(outcomes).toEqual(['miss', 'hit'])
  })

  it('downloads once for many callers, each with its own file', async () => {
    const { dag, uri } = await setUp()
    const gateway = await startGateway(dag)
    const source = await startSource({ gateways: [gateway.url] })
    const requests = Array.from({ length: 20 }, () => source.fetch({ uri, contentHash }))
    const media = await Promise.all(requests)
    expect(gateway.requests).toHaveLength(1)
    expect(new Set(media.map(({ file }) => file)).size).toBe(20)
    for (const { release } of media.slice(1)) release()
    expect(sha256Hex(await fs.readFile(media[0]!.file))).toBe(contentHash)
    expect(source.events.filter((event) => event.type === 'fetched')).toHaveLength(1)
  })

  it('does not make a good URI wait for one of the same content that delivers nothing', async () => {
    const { dag, uri, other } = await setUp()
    const silent = (path: string) => path.includes('/copy.bin')
    const gateway = await startGateway(dag, { answer: (request) => silent(request.url ?? '') })
    const source = await startSource({ gateways: [gateway.url] })
    const stop = new AbortController()
    const bad = failure(source.fetch({ uri: other, contentHash }, stop.signal))
    await expect.poll(() => gateway.requests.some(silent)).toBe(true)
    expect(await source.fetch({ uri, contentHash })).toMatchObject({ bytes: content.length })
    stop.abort(new Error('nobody waits'))
    expect((await bad).message).toBe('nobody waits')
  })

  it('leaves no file behind where a download cannot be taken in', async () => {
    const { dag, uri } = await setUp()
    const gateway = await startGateway(dag)
    const source = await startSource({ gateways: [gateway.url] })
    await fs.mkdir(path.join(fileOf(source.folder, contentHash), 'in the way'), { recursive: true })
    const error = await failure(source.fetch({ uri, contentHash }))
    expect(error).toMatchObject({ reason: 'media-cache-failed' })
    expect(await filesBelow(path.join(source.folder, 'work'))).toEqual([])
  })

  it('fetches again when the cached file is corrupt', async () => {
    const { dag, uri } = await setUp()
    const gateway = await startGateway(dag)
    const source = await startSource({ gateways: [gateway.url] })
    const first = await source.fetch({ uri, contentHash })
    first.release()
    await fs.chmod(fileOf(source.folder, contentHash), 0o600)
    await fs.appendFile(fileOf(source.folder, contentHash), 'x')
    expect(await source.fetch({ uri, contentHash })).toMatchObject({ bytes: content.length })
    expect(gateway.requests).toHaveLength(2)
  })

  it('serves files larger than the whole cache', async () => {
    const { dag, uri } = await setUp()
    const gateway = await startGateway(dag)
    const source = await startSource({ gateways: [gateway.url], cacheBytes: 1000 })
    const media = await source.fetch({ uri, contentHash })
    expect(sha256Hex(await fs.readFile(media.file))).toBe(contentHash)
    media.release()
    await expect.poll(() => filesBelow(source.folder)).toEqual([])
  })

  it('names a disk that fails midway, and works again afterwards', async () => {
    const { dag, uri } = await setUp()
    const gateway = await startGateway(dag)
    const source = await startSource({ gateways: [gateway.url, gateway.url] })
    const work = path.join(source.folder, 'work')
    await fs.rm(work, { recursive: true })
    await fs.writeFile(work, '')
    const error = await failure(source.fetch({ uri, contentHash }))
    expect(error).toMatchObject({ reason: 'media-cache-failed', kind: 'retry', facts: { code: 'ENOTDIR' } })
    await fs.rm(work)
    expect(await source.fetch({ uri, contentHash })).toMatchObject({ bytes: content.length })
  })

  it.runIf(process.platform === 'linux')('makes room when the disk is full', async () => {
    const { dag, uri } = await setUp()
    const gateway = await startGateway(dag)
    const source = await startSource({ gateways: [gateway.url] })
    const old = someBytes(100, 'old')
    const oldUri = `ipfs://${await dag.add({ '': old })}`
    const kept = await source.fetch({ uri: oldUri, contentHash: sha256Hex(old) })
    kept.release()
    const { openSync } = syncFs
    const full = vi.spyOn(syncFs, 'openSync').mockImplementation(() => openSync('/dev/full', 'w'))
    const unfill = () => {
      full.mockRestore()
      syncBuiltinESMExports()
    }
    syncBuiltinESMExports()
    onEnd(async () => unfill())
    const error = await failure(source.fetch({ uri, contentHash }))
    expect(error).toMatchObject({ reason: 'media-cache-failed', facts: { code: 'ENOSPC' } })
    expect(source.events).toContainEqual({ type: 'cache', outcome: 'evicted', bytes: 100 })
    unfill()
    expect(await source.fetch({ uri, contentHash })).toMatchObject({ bytes: content.length })
  })

  it('ends fetches in progress when it is closed, and accepts no more', async () => {
    const { dag, uri } = await setUp()
    const gateway = await startGateway(dag, { answer: () => true })
    const source = await startSource({ gateways: [gateway.url] })
    const fetching = failure(source.fetch({ uri, contentHash }))
    await expect.poll(() => gateway.requests.length).toBe(1)
    await source.close()
    expect((await fetching).reason).toBe('draining')
    expect((await failure(source.fetch({ uri, contentHash }))).reason).toBe('draining')
    expect(await fs.readdir(path.join(source.folder, 'work'))).toEqual([])
  })

  it('refuses an invalid contentHash', async () => {
    const source = await startSource()
    const error = await failure(source.fetch({ uri: 'https://example.com/', contentHash: '0x12' }))
    expect(error.reason).toBe('asset-malformed')
  })
})
