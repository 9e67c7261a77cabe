import { execFileSync } from 'node:child_process'
import fs from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { AttestdError } from '../../../src/core/errors.js'
import type { DetectRequest } from '../../../src/detect/detection.js'
import { duplicatesIn } from '../../../src/lab/evaluate/duplicates.js'
import { KeptRows } from '../../../src/lab/evaluate/kept-rows.js'
import { dataDigest, type ScoreOptions, scoreRows } from '../../../src/lab/evaluate/score-rows.js'
import type { ScoredRow } from '../../../src/lab/evaluate/scored-row.js'
import { settle } from '../../support/manual-clock.js'
import { storableDetection } from '../../support/pipeline-parts.js'
import { dataRow, scoredRow } from '../../support/scored-rows.js'
import { folderForEach } from '../../support/temporary-folder.js'
import { withReason } from '../../support/with-reason.js'

const folder = folderForEach()
let before: string | undefined
beforeEach(async () => {
  before = process.env.TMPDIR
  process.env.TMPDIR = folder
})
afterEach(async () => {
  if (before === undefined) delete process.env.TMPDIR
  else process.env.TMPDIR = before
})

const row = (id: string) => ({ ...dataRow(id, true), mediaType: 'text' as const })
const rows = (count: number) => Array.from({ length: count }, (_, nth) => row(`row ${nth}`))

type Detect = ScoreOptions['host']['detect']

function options(detect: Detect, change: Partial<ScoreOptions> = {}): ScoreOptions {
  return { host: { detect }, concurrency: 2, signal: new AbortController().signal, onProgress: () => {}, ...change }
}

/** Detects by the first number in the file, so that a mix-up of rows shows. */
const byContent: Detect = async ({ file }: DetectRequest) =>
  storableDetection({ notes: await fs.readFile(file, 'utf8') })

describe('scoring rows', () => {
  it('gives each row its own result, in order, whichever finishes first', async () => {
    const waiting: (() => void)[] = []
    const detect: Detect = async (request) => {
      const made = byContent(request)
      await new Promise<void>((resolve) => waiting.push(resolve))
      return made
    }
    const running = scoreRows(rows(4), options(detect, { concurrency: 4 }))
    while (waiting.length < 4) await settle()
    for (const go of waiting.toReversed()) go()
    const scored = await running
    expect(scored.map(({ detection }) => detection?.notes)).toEqual([0, 1, 2, 3].map((nth) => `text of row ${nth}`))
    expect(scored.map(({ row: { id } }) => id)).toEqual(['row 0', 'row 1', 'row 2', 'row 3'])
  })

  it.each([
    [1, 5, 1],
    [3, 5, 3],
    [8, 5, 5],
  ])('with %i at a time of %i rows requests %i at once', async (concurrency, count, most) => {
    const seen = { started: 0, running: 0, peak: 0 }
    const detect: Detect = async (request) => {
      seen.started++
      seen.peak = Math.max(seen.peak, ++seen.running)
      while (seen.running < most && seen.started < count) await settle()
      seen.running--
      return byContent(request)
    }
    const done: number[] = []
    const onProgress = (nth: number, of: number) => void done.push(nth * 100 + of)
    expect(await scoreRows(rows(count), options(detect, { concurrency, onProgress }))).toHaveLength(count)
    expect(seen.peak).toBe(most)
    expect(done).toEqual(Array.from({ length: count }, (_, nth) => (nth + 1) * 100 + count))
  })

  it('leaves no text behind, whatever the end', async () => {
    await scoreRows(rows(3), options(byContent))
    const fails: Detect = async () => Promise.reject(new AttestdError('detector-not-admitted', 'x'))
    await scoreRows(rows(3), options(fails)).catch(() => {})
    // The private folder stays, for those of the next runs.
    expect(await fs.readdir(folder, { recursive: true })).toEqual([expect.stringMatching(/^attestd-lab-/)])
  })

  it('without rows requests nothing', async () => {
    expect(
      await scoreRows(
        [],
        options(() => Promise.reject(new Error('asked'))),
      ),
    ).toEqual([])
  })

  it('passes on media of a table, and files by their path', async () => {
    const file = path.join(folder, 'a.txt')
    await fs.writeFile(file, 'from a file')
    const seen: string[] = []
    const detect: Detect = async (request) => {
      seen.push(request.file)
      return byContent(request)
    }
    const table = { ...row('b'), content: { bytes: async () => Buffer.from('from a table') } }
    const scored = await scoreRows([{ ...row('a'), content: { file } }, table], options(detect, { concurrency: 1 }))
    expect(scored.map(({ detection }) => detection?.notes)).toEqual(['from a file', 'from a table'])
    expect(seen[0]).toBe(file)
    expect(await fs.readFile(file, 'utf8')).toBe('from a file')
  })
})

describe('a row that cannot be scored', () => {
  it('since its file changes meanwhile ends the run, by its name', async () => {
    const file = path.join(folder, 'a.txt')
    await fs.writeFile(file, 'before')
    const detect: Detect = async (request) => {
      await fs.appendFile(file, ' and after')
      return byContent(request)
    }
    const run = scoreRows([{ ...row('a'), content: { file } }], options(detect))
    await expect(run).rejects.toThrow(withReason('lab-data-invalid', 'a changed while it was scored'))
  })

  it.each([
    ['media-type-mismatch', 'abstained'],
    ['detector-timeout', 'failed'],
    ['detector-crashed', 'failed'],
    ['internal-error', 'failed'],
  ] as const)('for %s has %s, and the others continue', async (reason, how) => {
    const detect: Detect = async (request) => {
      if (request.label === 'row 1') throw new AttestdError(reason, 'why')
      return byContent(request)
    }
    const scored = await scoreRows(rows(3), options(detect))
    expect(scored.map(({ unscored }) => unscored)).toEqual([null, { how, reason, message: 'why' }, null])
    expect(scored[1]?.sha256).toMatch(/^[0-9a-f]{64}$/)
  })

  it('for a bug has failed with its message', async () => {
    const [scored] = await scoreRows(
      rows(1),
      options(() => Promise.reject(new TypeError('x is not a function'))),
    )
    expect(scored?.unscored).toMatchObject({ how: 'failed', reason: 'internal-error', message: 'x is not a function' })
  })

  it.each(['detector-not-admitted', 'detector-unreachable', 'stake-low'] as const)(
    'for %s ends the run, because all others would fail alike',
    async (reason) => {
      let asked = 0
      const detect: Detect = async () => {
        asked++
        throw new AttestdError(reason)
      }
      await expect(scoreRows(rows(50), options(detect))).rejects.toMatchObject({ reason })
      expect(asked).toBeLessThan(5)
    },
  )
})

describe('an interrupted run', () => {
  it('ends before the next row, and where the host reports it', async () => {
    const stop = new AbortController()
    const onProgress = () => stop.abort()
    let asked = 0
    const detect: Detect = (request) => {
      asked++
      return byContent(request)
    }
    const change = { signal: stop.signal, onProgress, concurrency: 1 }
    await expect(scoreRows(rows(5), options(detect, change))).rejects.toMatchObject({ reason: 'draining' })
    expect(asked).toBe(1)
    const later = new AbortController()
    const aborts: Detect = async () => {
      later.abort()
      throw later.signal.reason
    }
    await expect(scoreRows(rows(2), options(aborts, { signal: later.signal }))).rejects.toMatchObject({
      reason: 'draining',
    })
  })

  it('does not include a row that was aborted for another reason', async () => {
    const detect: Detect = async () => Promise.reject(new DOMException('other', 'AbortError'))
    await expect(scoreRows(rows(1), options(detect))).rejects.toMatchObject({ name: 'AbortError' })
  })
})

describe('the digest of data', () => {
  const rows = [scoredRow(0.1, false, { id: 'a' }), scoredRow(0.9, true, { id: 'b' })]

  it('depends on what was scored, not on the order or the risks', () => {
    const [a, b] = rows as [ScoredRow, ScoredRow]
    expect(dataDigest([b, a])).toBe(dataDigest(rows))
    expect(dataDigest([a, { ...b, detection: null }])).toBe(dataDigest(rows))
    expect(dataDigest([a, { ...b, sha256: 'c'.repeat(64) }])).not.toBe(dataDigest(rows))
    expect(dataDigest([a, { ...b, row: dataRow('b', false) }])).not.toBe(dataDigest(rows))
    expect(dataDigest([a, { ...b, row: dataRow('c', true) }])).not.toBe(dataDigest(rows))
    expect(dataDigest([a])).not.toBe(dataDigest(rows))
  })
})

describe('a run over many rows', () => {
  it('names missing files, folders and named pipes before it scores the first row', async () => {
    let asked = 0
    const detect: Detect = async (request) => {
      asked++
      return byContent(request)
    }
    await fs.mkdir(path.join(folder, 'x'))
    execFileSync('/usr/bin/mkfifo', [path.join(folder, 'pipe')])
    const missing = ['x', 'pipe', 'y', 'last'].map((id) => ({ ...row(id), content: { file: path.join(folder, id) } }))
    await expect(scoreRows([...rows(3), ...missing], options(detect))).rejects.toMatchObject({
      reason: 'lab-data-invalid',
      message:
        '4 of 7 files cannot be read: x (a folder, a named pipe or a device), pipe (a folder, a named pipe or a device), y, ....',
      fix: expect.stringContaining('--root'),
    })
    expect(asked).toBe(0)
  })

  it('that was interrupted resumes: scored and abstained rows are kept, failed ones are scored again', async () => {
    const report = path.join(folder, 'report')
    const stop = new AbortController()
    const asked: string[] = []
    const detect =
      (stopAt: string): Detect =>
      async (request) => {
        asked.push(request.label!)
        if (request.label === stopAt) stop.abort()
        if (request.label === 'row 1') throw new AttestdError('media-type-mismatch', 'why')
        if (request.label === 'row 2' && stopAt !== '') throw new AttestdError('detector-crashed')
        return byContent(request)
      }
    const run = async (stopAt: string, signal: AbortSignal, by = 'digest') =>
      scoreRows(rows(6), options(detect(stopAt), { concurrency: 1, signal, kept: await KeptRows.open(report, by) }))
    await expect(run('row 3', stop.signal)).rejects.toMatchObject({
      reason: 'draining',
      message: 'Interrupted after 4 of 6 rows; the same command resumes there.',
    })
    await fs.appendFile(path.join(report, 'rows.partial.jsonl'), '{"by":"digest","id":"ro')
    asked.length = 0
    const scored = await run('', new AbortController().signal)
    expect(asked).toEqual(['row 2', 'row 4', 'row 5'])
    expect(scored.map(({ detection }) => detection?.notes ?? null)).toEqual(
      [0, null, 2, 3, 4, 5].map((nth) => (nth === null ? null : `text of row ${nth}`)),
    )
    asked.length = 0
    await run('', new AbortController().signal, 'another package')
    expect(asked).toHaveLength(6)
  })

  it('names rows with the same bytes', () => {
    const scored = ['a', 'b', 'c', 'd'].map((id, nth) => ({ row: row(id), sha256: nth === 1 ? 'one' : 'two' }))
    expect(duplicatesIn(scored)).toEqual({ rows: 2, contradictory: 0, examples: [['a', 'c', 'd']] })
    expect(duplicatesIn(scored.slice(0, 2))).toBeUndefined()
    const many = Array.from({ length: 40 }, (_, nth) => ({ row: row(`${nth}`), sha256: 'a' }))
    const both = [true, false].map((fake) => ({ row: { ...row(String(fake)), fake }, sha256: 'b' }))
    expect(duplicatesIn([...many, ...both])).toEqual({
      rows: 40,
      contradictory: 1,
      examples: [
        ['true', 'false'],
        ['0', '1', '2', '3', '4'],
      ],
    })
  })
})
