import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type LoadedPackage, loadPackage } from '../../../src/detect/package/package-loader.js'
import { evaluate, worst } from '../../../src/lab/evaluate/evaluate.js'
import { type Evaluation, evaluationSchema } from '../../../src/lab/evaluate/evaluation.js'
import {
  type FixtureFigures,
  fixtureDrift,
  fixtureFigures,
  fixtureSchema,
} from '../../../src/lab/evaluate/fixture-figures.js'
import { groupRows, groupsBy, labeledScores } from '../../../src/lab/evaluate/groups.js'
import { figure, flaggedOf } from '../../../src/lab/evaluate/row-metrics.js'
import { dataDigest, type ScoredRow } from '../../../src/lab/evaluate/score-rows.js'
import { scoresCsv } from '../../../src/lab/evaluate/scores-csv.js'
import { seededRandom } from '../../../src/lab/metrics/seeded-random.js'
import { writeTinyPackage } from '../../support/detector-package.js'
import { dataRow, refusedRow, scoredRow } from '../../support/scored-rows.js'

let models: string
let detector: LoadedPackage
beforeAll(async () => {
  models = await fs.mkdtemp(path.join(os.tmpdir(), 'attestd-figures-'))
  detector = await loadPackage(await writeTinyPackage(models))
})
afterAll(() => fs.rm(models, { recursive: true }))

function evaluationOf(
  scored: readonly ScoredRow[],
  { prior = null as number | null, by = [] as string[] } = {},
): Evaluation {
  return evaluate(scored, {
    detector,
    data: { from: 'index.csv', limit: null, otherMedia: 0, prior },
    by,
    command: 'attestd models eval',
    attestd: '0.1.0',
    node: 'v24',
    platform: 'test',
    now: Date.UTC(2026, 10, 22),
    random: seededRandom(1),
  })
}

const MIXED = [scoredRow(0.9, true), scoredRow(0.2, true), scoredRow(0.1, false), scoredRow(0.7, false)]

describe('an evaluation', () => {
  it('of any rows is what its file format takes, without NaN', () => {
    for (const scored of [[], MIXED, MIXED.slice(0, 1), [refusedRow('a', true)]]) {
      const made = evaluationOf(scored, { by: ['source'] })
      expect(evaluationSchema.parse(JSON.parse(JSON.stringify(made)))).toEqual(made)
    }
  })

  it('counts what became of each row, by reason', () => {
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

  it('leaves unsure rows out of the sure ones alone', () => {
    const made = evaluationOf([...MIXED, scoredRow(0.5, false, { unsure: true, unsureBecause: 'band' })])
    expect([made.all.rows, made.sure.rows]).toEqual([5, 4])
    expect([made.all.real, made.sure.real]).toEqual([3, 2])
  })

  it('puts risks into twenty bins, the last one with its end', () => {
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

  it('states times of one file: medians of the parts, the 95th percentile of both together', () => {
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
  it('are on the wrong side of a half, which itself is fake, worst first', () => {
    const rows = [0.5, 0.49, 0.99, 0.7, 0.01].map((risk) => scoredRow(risk, false))
    expect(worst(rows, false).map(({ detection }) => detection?.risk)).toEqual([0.99, 0.7, 0.5])
    const fakes = rows.map(({ row, ...others }) => ({ ...others, row: { ...row, fake: true } }))
    expect(worst(fakes, true).map(({ detection }) => detection?.risk)).toEqual([0.01, 0.49])
    expect(worst(rows, true)).toEqual([])
  })

  it('are at most twelve of a class, and none without a risk', () => {
    const rows = [...Array.from({ length: 30 }, (_, nth) => scoredRow((60 + nth) / 100, false)), refusedRow('a', false)]
    const { mistakes } = evaluationOf(rows)
    expect(mistakes.fake).toEqual([])
    expect(mistakes.real.map(({ risk }) => risk)).toEqual(Array.from({ length: 12 }, (_, nth) => (89 - nth) / 100))
  })

  it('quote the notes, and of a text its beginning, as one line', () => {
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

describe('groups', () => {
  const of = (source: string, fake: boolean, risk = 0.5) => scoredRow(risk, fake, { columns: { source } })

  it('are the values of a column, largest first, without rows that state none', () => {
    const rows = [of('a', true), of('b', true), of('b', false), of('-', true), of('', false), scoredRow(0.5, true)]
    const found = groupRows('source', rows)
    expect(found.map(({ value, members, against }) => [value, members.length, against])).toEqual([
      ['b', 2, 'own'],
      ['a', 1, 'all-real'],
    ])
    expect(found[0]?.ranked).toHaveLength(2)
  })

  it('of one class are set against every row of the other, stated or not', () => {
    const rows = [of('a', true), of('b', false), scoredRow(0.3, false), scoredRow(0.4, true)]
    const [a, b] = groupRows('source', rows)
    expect([a?.against, a?.ranked.length]).toEqual(['all-real', 3])
    expect([b?.against, b?.ranked.length]).toEqual(['all-fake', 3])
  })

  it('are sixty at most', () => {
    const rows = Array.from({ length: 61 }, (_, nth) => of(`s${nth}`, true))
    expect(groupRows('source', [...rows, of('s60', true)]).map(({ value }) => value)).toEqual([
      's60',
      ...Array.from({ length: 59 }, (_, nth) => `s${nth}`),
    ])
  })

  it('have their own shares: of the unsure among the scored, and the refused beside', () => {
    const unsure = scoredRow(0.5, true, { columns: { source: 'a' }, unsure: true, unsureBecause: 'band' })
    const rows = [of('a', true, 0.9), unsure, of('a', false, 0.2), refusedRow('r', false, { columns: { source: 'a' } })]
    const [group] = groupsBy('source', rows, seededRandom(1))
    expect(group).toMatchObject({
      real: 1,
      fake: 2,
      refused: 1,
      unsure: 0.333333,
      meanRisk: 0.533333,
      fakeFlagged: 1,
      realFlagged: 0,
      against: 'own',
    })
  })
})

describe('single figures', () => {
  it.each([
    [0.123456789, 0.123457],
    [Number.NaN, null],
    [Number.POSITIVE_INFINITY, null],
    [0, 0],
  ])('%d is kept as %j', (value, kept) => {
    expect(figure(value)).toBe(kept)
  })

  it('flagged is from a half on, by class, with an interval where any were counted', () => {
    const { fakeFlagged, realFlagged } = flaggedOf([
      { score: 0.5, fake: true },
      { score: 0.499, fake: true },
    ])
    expect(fakeFlagged.value).toBe(0.5)
    expect(fakeFlagged.interval?.low).toBeGreaterThan(0)
    expect(realFlagged).toEqual({ value: null, interval: null })
  })

  it('scores take the weight of their class, or none', () => {
    expect(labeledScores([...MIXED.slice(1, 3), refusedRow('a', true)], { fake: 3, real: 0.5 })).toEqual([
      { score: 0.2, fake: true, weight: 3 },
      { score: 0.1, fake: false, weight: 0.5 },
    ])
    expect(labeledScores(MIXED.slice(0, 1))).toEqual([{ score: 0.9, fake: true }])
  })
})

describe('the table of scores', () => {
  it('has a line a row with what each got, and no formula of a file name', () => {
    const rows = [
      scoredRow(0.25, false, {
        id: '=1+1,a',
        columns: { source: 'cam', generator: '-' },
        rawScore: -1.0986,
        notes: 'say "x"',
      }),
      scoredRow(0.5, true, { id: 'b', unsure: true, unsureBecause: 'flip', rawScore: 0 }),
      refusedRow('c', true, { message: 'no picture' }),
    ]
    expect(scoresCsv(rows).split('\r\n')).toEqual([
      'path,label,source,generator,risk,logit,unsure,reason,sha256,notes',
      `"'=1+1,a",real,cam,-,0.25,-1.0986,,,${'a'.repeat(64)},"say ""x"""`,
      `b,fake,,,0.5,0,flip,,${'a'.repeat(64)},n`,
      `c,fake,,,,,,media-type-mismatch,${'b'.repeat(64)},no picture`,
      '',
    ])
  })
})

describe('the digest of data', () => {
  const rows = [scoredRow(0.1, false, { id: 'a' }), scoredRow(0.9, true, { id: 'b' })]

  it('hangs on what was scored, not on the order or the risks', () => {
    const [a, b] = rows as [ScoredRow, ScoredRow]
    expect(dataDigest([b, a])).toBe(dataDigest(rows))
    expect(dataDigest([a, { ...b, detection: null }])).toBe(dataDigest(rows))
    expect(dataDigest([a, { ...b, sha256: 'c'.repeat(64) }])).not.toBe(dataDigest(rows))
    expect(dataDigest([a, { ...b, row: dataRow('b', false) }])).not.toBe(dataDigest(rows))
    expect(dataDigest([a, { ...b, row: dataRow('c', true) }])).not.toBe(dataDigest(rows))
    expect(dataDigest([a])).not.toBe(dataDigest(rows))
  })
})

type Figure = FixtureFigures['rows'][number]

describe('the figures of sample media', () => {
  const rows = () => [
    scoredRow(0.123456, false, { id: 'b' }),
    scoredRow(0.9, true, { id: 'a' }),
    refusedRow('c', true, { reason: 'language-unsupported' }),
  ]

  it('are in the order of their ids, with four decimals, as the file takes them', () => {
    const found = fixtureFigures(detector, rows())
    expect(fixtureSchema.parse(found)).toMatchObject({
      auc: 1,
      detector: { id: 'tiny-image', digest: detector.digest },
      rows: [
        { id: 'a', made: 'fake', risk: 0.9, reason: null },
        { id: 'b', made: 'real', risk: 0.1235, reason: null },
        { id: 'c', made: 'fake', risk: null, reason: 'language-unsupported' },
      ],
    })
  })

  it('hold while risks move by two hundredths, and not where a refusal comes, goes or changes', () => {
    const kept = fixtureFigures(detector, rows())
    const [a, b, c] = kept.rows as [Figure, Figure, Figure]
    const drift = (...now: Figure[]) => fixtureDrift(kept, { ...kept, rows: now })
    expect(drift({ ...a, risk: 0.885 }, b, c)).toEqual([])
    expect(drift({ ...a, risk: 0.879 }, b, c)).toEqual(['tiny-image: a was 0.9, is 0.879'])
    expect(drift(a, { ...b, risk: null, reason: 'detector-timeout' }, c)).toEqual([
      'tiny-image: b was 0.1235, is detector-timeout',
    ])
    expect(drift(a, b, { ...c, risk: 0.01, reason: null })).toEqual(['tiny-image: c was language-unsupported, is 0.01'])
    expect(drift(a, b, { ...c, reason: 'media-type-mismatch' })).toHaveLength(1)
    expect(drift(a, b, c, { ...c, id: 'd' })).toEqual(['tiny-image: d was undefined, is language-unsupported'])
  })
})
