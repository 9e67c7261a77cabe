import fs from 'node:fs/promises'
import path from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { evaluateModel } from '../../src/app/lab/evaluate-model.js'
import { evaluationSchema } from '../../src/lab/evaluate/evaluation.js'
import { labBenchForAll } from '../support/lab-bench.js'

/** What a hostile index may call things. */
const HOSTILE = `<img src="https://evil.example/x.png" onerror=alert(1)>`

const bench = labBenchForAll()
let index: string
beforeAll(async () => {
  index = await bench.writePictures([
    { name: 'a.png', label: 'real', red: 20, source: 'cam' },
    { name: 'b.png', label: 'real', red: 60, source: 'cam' },
    { name: 'c.png', label: 'real', red: 220, source: HOSTILE },
    { name: 'd.png', label: 'fake', red: 230, source: 'web', generator: 'gan' },
    { name: 'e.png', label: 'fake', red: 250, source: 'web', generator: 'gan' },
    { name: 'f.png', label: 'fake', red: 40, source: 'web', generator: 'diffusion' },
    { name: 'g.png', label: 'fake', red: 250, source: 'web', generator: 'gan' },
  ])
  await fs.writeFile(path.join(bench.folder, 'g.png'), 'no picture')
})

function options(out: string | null, own: { signal?: AbortSignal; onProgress?: (done: number) => void } = {}) {
  return {
    data: index,
    root: null,
    limit: null,
    prior: null,
    out,
    by: ['source', 'generator', 'absent'],
    command: `attestd models eval ${HOSTILE}`,
    signal: own.signal ?? new AbortController().signal,
    onProgress: own.onProgress ?? (() => {}),
  }
}

describe('models eval', () => {
  it('prints figures, counts by reason, groups and files', async () => {
    const out = path.join(bench.folder, 'out')
    const seen: number[] = []
    const evaluation = await evaluateModel(
      bench.settings,
      'tiny-image',
      options(out, { onProgress: (done) => seen.push(done) }),
    )
    expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7])
    expect(evaluation.outcomes).toEqual({
      scored: 6,
      unsure: { band: 0, flip: 0 },
      abstained: { 'media-type-mismatch': 1 },
      failed: {},
    })
    // Reds of fakes 230, 250, 40 against reals 20, 60, 220: 3 + 3 + 1 of 9 pairs.
    expect(evaluation.all.auc.value).toBeCloseTo(7 / 9, 5)
    expect(evaluation.all).toMatchObject({ rows: 6, real: 3, fake: 3 })
    expect(evaluation.all.realFlagged.value).toBeCloseTo(1 / 3, 5)
    expect(evaluation.all.realFlagged.interval?.high).toBeCloseTo(0.7923, 4)
    expect(Object.keys(evaluation.groups)).toEqual(['source', 'generator', 'absent'])
    expect(evaluation.groups.absent).toEqual([])
    expect(evaluation.groups.generator).toMatchObject([
      { value: 'gan', fake: 2, real: 0, against: 'all-real', auc: { value: 1 }, refused: 1 },
      { value: 'diffusion', fake: 1, against: 'all-real' },
    ])
    expect(evaluation.mistakes.real.map(({ id }) => id)).toEqual(['c.png'])
    expect(evaluation.mistakes.fake.map(({ id }) => id)).toEqual(['f.png'])

    const written = evaluationSchema.parse(JSON.parse(await fs.readFile(path.join(out, 'eval.json'), 'utf8')))
    expect(written).toEqual(evaluation)
    expect((await fs.readFile(path.join(out, 'scores.csv'), 'utf8')).split('\r\n')).toHaveLength(9)
    expect((await fs.readdir(out)).toSorted()).toEqual(['eval.json', 'report.html', 'scores.csv'])
  })

  it('writes a report that escapes external text, loads nothing, and shows the mistakes', async () => {
    const page = await fs.readFile(path.join(bench.folder, 'out', 'report.html'), 'utf8')
    const has = (text: string) => page.includes(text)
    expect(has('<img src="https')).toBe(false)
    expect(has('&lt;img src=&quot;https://evil.example')).toBe(true)
    expect(has('content="default-src &#39;none&#39;; img-src data:')).toBe(true)
    expect(page.match(/<img alt="" src="data:image\/jpeg;base64,/g)).toHaveLength(2)
    expect(page.replaceAll('&lt;img src=&quot;https://evil.example', '')).not.toMatch(
      /(src|href)="(?!data:)|url\(|@import|<script/,
    )
  })

  it('gives the same figures and digest for the same rows', async () => {
    const [first, second] = await Promise.all(
      [1, 2].map(() => evaluateModel(bench.settings, 'tiny-image', options(null))),
    )
    const figures = (each = first) => ({ ...each, madeAt: '', milliseconds: null })
    expect(figures(second)).toEqual(figures())
  })

  it('finds a package by the path of its folder, too', async () => {
    const { detector } = await evaluateModel(
      { ...bench.settings, modelsDir: '/nowhere' },
      path.join(bench.modelsDir, 'tiny-image'),
      options(null),
    )
    expect(detector.id).toBe('tiny-image')
  })

  it('weighs by a prior what depends on the share of fakes, and nothing else', async () => {
    const plain = await evaluateModel(bench.settings, 'tiny-image', options(null))
    const tenth = await evaluateModel(bench.settings, 'tiny-image', { ...options(null), prior: 0.1 })
    expect(tenth.all.auc).toEqual(plain.all.auc)
    expect(tenth.all.realFlagged).toEqual(plain.all.realFlagged)
    // Two of three fakes and one of three reals are flagged: 0.1 * 2/3 of 0.1 * 2/3 + 0.9 * 1/3.
    expect(tenth.thresholds.find(({ threshold }) => threshold === 0.5)?.precision).toBeCloseTo(0.2 / 1.1, 5)
    expect(plain.thresholds.find(({ threshold }) => threshold === 0.5)?.precision).toBeCloseTo(2 / 3, 5)
    expect(tenth.all.accuracy.value).toBeCloseTo(0.1 * (2 / 3) + 0.9 * (2 / 3), 5)
    expect(tenth.all.brier.value).not.toBe(plain.all.brier.value)
  })
})
