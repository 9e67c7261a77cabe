import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../../src/core/clock.js'
import { AttestdError, errorText, toAttestdError } from '../../src/core/errors.js'
import { entryFile, readFileIfPresent, writeFileAtomic } from '../../src/core/files.js'
import { isReason, REASONS } from '../../src/core/reasons.js'
import { backoffMs, honoredDelayMs, parseRetryAfter } from '../../src/core/retry.js'
import { cleanText, jobIdOf } from '../../src/core/text.js'

describe('retry', () => {
  const policy = { baseMs: 1000, maxMs: 60_000 }
  const rows: [number, number, number][] = [
    [1, 0, 500],
    [1, 1, 1000],
    [2, 0.5, 1500],
    [4, 1, 8000],
    [7, 1, 60_000],
    [5000, 0, 30_000],
  ]
  it.each(rows)('try %i with jitter %d waits %i ms', (attempt, jitter, ms) => {
    expect(backoffMs(attempt, policy, () => jitter)).toBe(ms)
  })

  it('delays are whole milliseconds, as the embedded queue demands', () => {
    for (let attempt = 1; attempt < 40; attempt++) {
      expect(Number.isInteger(backoffMs(attempt, { baseMs: 333, maxMs: 7777 }, Math.random))).toBe(true)
    }
  })

  it('what the other side asked for is honored, but capped, and never shortens the own back-off', () => {
    expect(honoredDelayMs(5000, 1000, 60_000)).toBe(5000)
    expect(honoredDelayMs(9e9, 1000, 60_000)).toBe(60_000)
    expect(honoredDelayMs(0, 1000, 60_000)).toBe(1000)
    expect(honoredDelayMs(undefined, 1000, 60_000)).toBe(1000)
  })

  it('Retry-After is read as seconds or date', () => {
    const now = Date.UTC(2026, 0, 1)
    expect(parseRetryAfter('7', now)).toBe(7000)
    expect(parseRetryAfter('0.5', now)).toBe(500)
    expect(parseRetryAfter('Thu, 01 Jan 2026 00:00:30 GMT', now)).toBe(30_000)
    expect(parseRetryAfter('Wed, 31 Dec 2025 00:00:00 GMT', now)).toBe(0)
    for (const bad of [null, undefined, '', 'soon', '-1']) expect(parseRetryAfter(bad, now) ?? 0).toBe(0)
  })
})

it('job ids hold for any asset id, and BullMQ accepts them', () => {
  const ids = ['1', 'a:b', '', '  ', '\u00e9', 'e\u0301', 'x'.repeat(9999)].map(jobIdOf)
  expect(new Set(ids).size).toBe(ids.length)
  for (const id of ids) expect(id).toMatch(/^asset-[0-9a-f]{40}$/)
})

it('outside text loses NUL and lone surrogates, keeps the rest', () => {
  expect(cleanText('a\u0000b\ud800c 顔🙂')).toBe('a\ufffdb\ufffdc 顔🙂')
  const cut = cleanText('🙂'.repeat(50), 10)
  expect(cut.length).toBeLessThanOrEqual(10)
  expect(cut.isWellFormed()).toBe(true)
})

describe('errors', () => {
  it('a foreign error becomes one with a reason, its cause kept', () => {
    const foreign = new TypeError('fetch failed', { cause: new Error('ECONNREFUSED') })
    const error = toAttestdError(foreign)
    expect(error).toMatchObject({ reason: 'internal-error', kind: 'retry', cause: foreign })
    expect(error.message).toBe('fetch failed: ECONNREFUSED')
    expect(toAttestdError(error)).toBe(error)
    expect(errorText('text')).toBe('text')
  })

  it('kind and fix come from the one list', () => {
    expect(new AttestdError('stake-low')).toMatchObject({ kind: 'wait', message: REASONS['stake-low'].summary })
    expect(new AttestdError('stake-low').fix).toContain('stake')
    expect(isReason('stake-low')).toBe(true)
    expect(isReason('toString')).toBe(false)
  })
})

it('a file is replaced whole, and nothing temporary stays behind', async () => {
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'attestd-files-'))
  const file = path.join(folder, 'x')
  expect(await readFileIfPresent(file)).toBeNull()
  await Promise.all(['a', 'b', 'c'].map((letter) => writeFileAtomic(file, letter.repeat(1000))))
  expect((await readFileIfPresent(file))?.toString()).toMatch(/^(a+|b+|c+)$/)
  expect(await fs.readdir(folder)).toEqual(['x'])
  await expect(writeFileAtomic(path.join(folder, 'no', 'x'), '')).rejects.toThrow('ENOENT')
  await fs.rm(folder, { recursive: true })
})

it('threads and children are started from compiled files, also when the caller is a source file', () => {
  const source = new URL('../../src/queue/a.ts', import.meta.url).href
  const built = new URL('../../dist/queue/a.js', import.meta.url).href
  expect(entryFile(source, 'thread')).toBe(entryFile(built, 'thread'))
  expect(entryFile(source, 'thread')).toMatch(/dist\/queue\/thread\.js$/)
})

it('sleep ends with its signal', async () => {
  const stop = new AbortController()
  const sleeping = systemClock.sleep(60_000, stop.signal)
  stop.abort(new Error('stopped'))
  await expect(sleeping).rejects.toThrow('stopped')
  await expect(systemClock.sleep(1, AbortSignal.abort(new Error('before')))).rejects.toThrow('before')
})
