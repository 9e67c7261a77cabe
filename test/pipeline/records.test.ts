import fs from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { asRisk } from '../../src/core/risk.js'
import { Ledger } from '../../src/pipeline/ledger.js'
import { VerdictStore } from '../../src/pipeline/verdict-store.js'
import { filesBelow } from '../support/files-below.js'
import { abstainedEntry, storableDetection } from '../support/pipeline-parts.js'
import { folderForEach } from '../support/temporary-folder.js'

const folder = folderForEach()

async function sizeOf(folder: string): Promise<number> {
  const names = await fs.readdir(folder)
  const stats = await Promise.all(names.map((name) => fs.stat(path.join(folder, name))))
  return stats.reduce((sum, { size }) => sum + size, 0)
}

const DAY = 24 * 60 * 60 * 1000
const start = Date.UTC(2026, 0, 10, 12)
const abstained = (at: number, assetId: string) => abstainedEntry({ at, assetId })

describe('the ledger', () => {
  it('returns the newest entries first, over several days', async () => {
    const ledger = new Ledger(folder)
    for (const [day, id] of [
      [0, 'a'],
      [0, 'b'],
      [1, 'c'],
    ] as const)
      await ledger.append(abstained(start + day * DAY, id))
    expect((await ledger.recent(2)).map((entry) => entry.assetId)).toEqual(['c', 'b'])
    expect((await ledger.recent(9, (entry) => entry.assetId === 'a')).length).toBe(1)
  })

  it.each(['', '\n'])('skips a truncated line, and loses nothing else, its end %j', async (end) => {
    await new Ledger(folder).append(abstained(start, 'a'))
    await fs.appendFile(path.join(folder, '2026-01-10.jsonl'), `{"kind":"absta${end}`)
    const next = new Ledger(folder)
    await next.append(abstained(start, 'b'))
    await next.append(abstained(start, 'c'))
    expect((await next.recent(9)).map((entry) => entry.assetId)).toEqual(['c', 'b', 'a'])
  })

  it('removes whole days that are too old', async () => {
    const ledger = new Ledger(folder)
    await ledger.append(abstained(start, 'old'))
    await ledger.append(abstained(start + 2 * DAY, 'new'))
    await ledger.prune(DAY, start + 2 * DAY)
    expect((await ledger.recent(9)).map((entry) => entry.assetId)).toEqual(['new'])
  })

  it('never exceeds its size, and drops the oldest first, within a day and over several processes', async () => {
    const line = Buffer.byteLength(JSON.stringify(abstained(start, 'a100'))) + 1
    const maxBytes = 80 * line
    let ledger = new Ledger(folder, maxBytes)
    for (let at = 100; at < 400; at++) {
      // Another process, or the next run, goes on where the last one ended.
      if (at % 7 === 0) ledger = new Ledger(folder, maxBytes)
      await ledger.append(abstained(start + (at > 300 ? DAY : 0), `a${at}`))
      expect(await sizeOf(folder)).toBeLessThanOrEqual(maxBytes)
    }
    const kept = (await new Ledger(folder).recent(1_000)).map((entry) => entry.assetId)
    expect(kept.length).toBeGreaterThan(60)
    expect(kept).toEqual(Array.from({ length: kept.length }, (_, at) => `a${399 - at}`))
  })

  it('is cut to its size where an older release left more', async () => {
    for (const day of [0, 1, 2]) await new Ledger(folder).append(abstained(start + day * DAY, `a${day}`))
    await new Ledger(folder, (await sizeOf(folder)) - 1).prune(90 * DAY, start + 2 * DAY)
    expect((await new Ledger(folder).recent(9)).map((entry) => entry.assetId)).toEqual(['a2', 'a1'])
  })

  it('that another user owns is not taken for an empty one', async () => {
    // Root, as whom this may run, reads every folder.
    const refused = Object.assign(new Error('EACCES: permission denied, scandir'), { code: 'EACCES' })
    const readdir = vi.spyOn(fs, 'readdir').mockRejectedValue(refused)
    onTestFinished(() => readdir.mockRestore())
    await expect(new Ledger(folder).recent(9)).rejects.toBe(refused)
  })

  it('has no entries in an empty data directory', async () => {
    expect(await new Ledger(path.join(folder, 'none')).recent(5)).toEqual([])
  })
})

const PLATFORM = 'node v20.20.0 linux x64'
const key = {
  contentHash: '0xab',
  detectorDigest: 'd1',
  mediaType: 'image',
  platform: PLATFORM,
  expectedShare: 0.5,
} as const
const detection = storableDetection({
  parts: [{ name: 'center', risk: asRisk(0.3) }],
  evidence: [{ kind: 'exif', text: 'software: x' }],
  platform: PLATFORM,
})

describe('the verdict store', () => {
  /** The one verdict that it keeps. */
  const verdictFile = async () => {
    const [name] = (await filesBelow(folder)).filter((one) => one.endsWith('.json'))
    return path.join(folder, name!)
  }

  it('keeps a detection by content, detector, platform and expected share', async () => {
    const store = new VerdictStore(folder)
    await store.put(key, detection)
    expect(await store.get(key)).toEqual(detection)
    expect(await store.get({ ...key, detectorDigest: 'd2' })).toBeNull()
    expect(await store.get({ ...key, contentHash: '0xac' })).toBeNull()
    expect(await store.get({ ...key, mediaType: 'audio' })).toBeNull()
    expect(await store.get({ ...key, platform: `${PLATFORM}, ffmpeg none` })).toBeNull()
    expect(await store.get({ ...key, expectedShare: 0.1 })).toBeNull()
  })

  it('stores risks as percentages, as the ledger does', async () => {
    await new VerdictStore(folder).put(key, detection)
    expect(JSON.parse(await fs.readFile(await verdictFile(), 'utf8'))).toMatchObject({
      risks: 'percent',
      detection: { risk: 25, parts: [{ name: 'center', risk: 30 }], rawScore: detection.rawScore },
    })
  })

  it('reads a file of an older version, whose risks are from 0 to 1', async () => {
    const store = new VerdictStore(folder)
    await store.put(key, detection)
    // As version 0.1 wrote it.
    const old =
      '{"detectorId":"d","detectorVersion":"1.0.0","detectorDigest":"d1","risk":0.0125,"rawScore":-4.4,"unsure":true,' +
      '"unsureBecause":"band","parts":[{"name":"center","risk":1}],"variants":[{"name":"jpeg","risk":0.5}],"evidence":[],' +
      '"notes":"n","elapsedMs":{"decode":1,"infer":2,"stages":{"decode":1}},"platform":"p","expectedShare":0.5}'
    await fs.writeFile(await verdictFile(), old)
    expect(await store.get(key)).toMatchObject({
      risk: 0.0125,
      parts: [{ risk: 1 }],
      variants: [{ risk: 0.5 }],
      unsureBecause: 'band',
    })
  })

  it('ignores a truncated or foreign file', async () => {
    const store = new VerdictStore(folder)
    await store.put(key, detection)
    for (const content of ['{"risk":', '{"risk":2}', '']) {
      await fs.writeFile(await verdictFile(), content)
      expect(await store.get(key)).toBeNull()
    }
  })

  it('prunes by age', async () => {
    const store = new VerdictStore(folder)
    await store.put(key, detection)
    await store.prune(DAY, Date.now())
    expect(await store.get(key)).not.toBeNull()
    await store.prune(DAY, Date.now() + 2 * DAY)
    expect(await store.get(key)).toBeNull()
  })
})
