import { describe, expect, it } from 'vitest'
import { worst } from '../../../src/lab/evaluate/evaluate.js'
import { evaluationSchema } from '../../../src/lab/evaluate/evaluation.js'
import type { ScoredRow } from '../../../src/lab/evaluate/scored-row.js'
import { seededRandom } from '../../../src/lab/metrics/seeded-random.js'
import { refusedRow, scoredRow } from '../../support/scored-rows.js'
import { tinyLoaded } from '../../support/tiny-loaded.js'
import { evaluationBy } from './evaluation-by.js'

const tiny = tinyLoaded()

const evaluationOf = (scored: readonly ScoredRow[], options: { prior?: number; by?: string[] } = {}) =>
  evaluationBy(tiny(), scored, options)

const MIXED = [scoredRow(0.9, true), scoredRow(0.2, true), scoredRow(0.1, false), scoredRow(0.7, false)]

describe('an evaluation', () => {
  it('of any rows fits its file format, without NaN', () => {
    for (const scored of [[], MIXED, MIXED.slice(0, 1), [refusedRow('a', true)]]) {
      const made = evaluationOf(scored, { by: ['source'] })
      expect(evaluationSchema.parse(JSON.parse(JSON.stringify(made)))).toEqual(made)
    }
  })

  it('counts the outcomes of the rows by reason', () => {
    const { data, outcomes } = evaluationOf([
      ...MIXED,
      scoredRow(0.5, true, { unsure: true, unsureBecause: 'band' }),
      scoredRow(0.51, true, { unsure: true, unsureBecause: 'flip' }),
      scoredRow(0.52, false, { unsure: true, unsureBecause: 'flip' }),
      refusedRow('a', true),
      refusedRow('b', false),
      refusedRow('c', false, { how: 'failed', reason: 'detector-timeout' }),
      refusedRow('d', false, { reason: 'language-unsupported' }),
    ])
    expect(data).toMatchObject({ rows: 11, fake: 5, real: 6 })
    expect(outcomes).toEqual({
      scored: 7,
      unsure: { band: 1, flip: 2 },
      abstained: { 'media-type-mismatch': 2, 'language-unsupported': 1 },
      failed: { 'detector-timeout': 1 },
    })
  })

  it('takes rows of unstated sources separately, not as one source', () => {
    const rows = Array.from({ length: 40 }, (_, nth) =>
      scoredRow(nth % 5 === 0 ? 0.4 : 0.8, nth % 2 === 0, { id: `${nth}`, columns: { source: '-' } }),
    )
    const { right, rightAtLeast } = evaluationOf(rows).verdicts
    expect(rightAtLeast).toBeLessThan(right ?? 0)
  })

  it('leaves unsure rows out of the sure ones only', () => {
    const made = evaluationOf([...MIXED, scoredRow(0.5, false, { unsure: true, unsureBecause: 'band' })])
    expect([made.all.rows, made.sure.rows]).toEqual([5, 4])
    expect([made.all.real, made.sure.real]).toEqual([3, 2])
  })

  it('puts risks into twenty bins, the last one including its end', () => {
    const risks = [0, 0.049, 0.05, 0.5, 0.949, 0.95, 1]
    const { histogram } = evaluationOf(risks.map((risk) => scoredRow(risk, true, { rawScore: 0 })))
    const filled = (counts: readonly number[]) => counts.flatMap((count, bin) => (count ? [[bin, count]] : []))
    expect(filled(histogram.fake)).toEqual([
      [0, 2],
      [1, 1],
      [10, 1],
      [18, 1],
      [19, 2],
    ])
    expect(histogram.fake).toHaveLength(20)
    expect(filled(histogram.real)).toEqual([])
  })

  it('draws curves from end to end with at most 200 points', () => {
    const random = seededRandom(3)
    const many = Array.from({ length: 220 }, () => scoredRow(random(), random() < 0.5))
    const { precisionRecall, roc } = evaluationOf(many)
    expect([roc.length, precisionRecall.length]).toEqual([200, 200])
    expect([roc[0], roc.at(-1)]).toEqual([
      { fpr: 0, tpr: 0 },
      { fpr: 1, tpr: 1 },
    ])
    expect(precisionRecall.at(-1)?.recall).toBe(1)
    expect(evaluationOf(MIXED.filter(({ row }) => row.fake))).toMatchObject({
      roc: [{ fpr: 0, tpr: 0 }],
      precisionRecall: [{}, {}],
    })
  })

  it('reports times of one file: medians of the parts, the 95th percentile of their sum', () => {
    const rows = Array.from({ length: 21 }, (_, index) =>
      scoredRow(0.5, true, { elapsedMs: { decode: index, infer: 100 - index * 2 } }),
    )
    expect(evaluationOf(rows).milliseconds).toEqual({ medianDecode: 10, medianInfer: 80, p95: 99 })
    expect(evaluationOf([]).milliseconds).toEqual({ medianDecode: null, medianInfer: null, p95: null })
  })

  it('is weighted by a prior only where both classes have a risk', () => {
    const fakes = MIXED.filter(({ row }) => row.fake)
    const withRefused = [...fakes, refusedRow('a', false)]
    expect(evaluationOf(withRefused, { prior: 0.1 }).all).toEqual(evaluationOf(withRefused).all)
    expect(evaluationOf(MIXED, { prior: 0.1 }).all.brier).not.toEqual(evaluationOf(MIXED).all.brier)
  })
})

describe('the worst mistakes', () => {
  it('are on the wrong side of one half, which itself is fake, worst first', () => {
    const rows = [0.5, 0.49, 0.99, 0.7, 0.01].map((risk) => scoredRow(risk, false))
    expect(worst(rows, false).map(({ detection }) => detection?.risk)).toEqual([0.99, 0.7, 0.5])
    const fakes = rows.map(({ row, ...others }) => ({ ...others, row: { ...row, fake: true } }))
    expect(worst(fakes, true).map(({ detection }) => detection?.risk)).toEqual([0.01, 0.49])
    expect(worst(rows, true)).toEqual([])
  })

  it('are at most twelve per class, and none without a risk', () => {
    const rows = [...Array.from({ length: 30 }, (_, nth) => scoredRow((60 + nth) / 100, false)), refusedRow('a', false)]
    const { mistakes } = evaluationOf(rows)
    expect(mistakes.fake).toEqual([])
    expect(mistakes.real.map(({ risk }) => risk)).toEqual(Array.from({ length: 12 }, (_, nth) => (89 - nth) / 100))
  })

  it('quote the notes, and the beginning of a text, as one line', () => {
    const text = scoredRow(0.9, false, { notes: 'seen', id: 'a\nb' })
    const long = { ...text, row: { ...text.row, content: { text: `line one\nline two ${'x'.repeat(400)}` } } }
    const file = { ...text, row: { ...text.row, content: { file: '/a' } } }
    const [first, second] = evaluationOf([long, file]).mistakes.real
    expect(first?.id).toBe('a b')
    expect(first?.note).toMatch(/^seen: line one line two x+…$/)
    expect(first?.note).toHaveLength(300)
    expect(second?.note).toBe('seen')
  })
})
