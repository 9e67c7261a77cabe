import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../../src/core/clock.js'
import { loadPackage } from '../../../src/detect/package/package-loader.js'
import { evaluate } from '../../../src/lab/evaluate/evaluate.js'
import type { Evaluation, EvaluationGroup } from '../../../src/lab/evaluate/evaluation.js'
import type { ScoredRow } from '../../../src/lab/evaluate/score-rows.js'
import { seededRandom } from '../../../src/lab/metrics/seeded-random.js'
import { bars, chart, dot, intervalBar, line, stretch } from '../../../src/lab/report/chart.js'
import { evaluationPage } from '../../../src/lab/report/evaluation-page.js'
import { decimal, intervalText, percent } from '../../../src/lab/report/figure-text.js'
import { groupTable } from '../../../src/lab/report/group-table.js'
import { mistakeCards } from '../../../src/lab/report/mistake-cards.js'
import { makeThumbnails } from '../../../src/lab/report/thumbnails.js'
import { writeTinyPackage } from '../../support/detector-package.js'
import { refusedRow, scoredRow } from '../../support/scored-rows.js'

let folder: string
let made: (scored: readonly ScoredRow[], prior?: number | null) => Evaluation
beforeAll(async () => {
  folder = await fs.mkdtemp(path.join(os.tmpdir(), 'attestd-page-'))
  const detector = await loadPackage(await writeTinyPackage(folder))
  made = (scored, prior = null) =>
    evaluate(scored, {
      detector,
      data: { from: 'index.csv', limit: null, otherMedia: 0, prior },
      by: ['source'],
      command: 'attestd models eval x',
      attestd: '0.1.0',
      node: 'v24',
      platform: 'test',
      now: Date.UTC(2026, 10, 22, 13, 5, 7),
      random: seededRandom(1),
    })
})
afterAll(() => fs.rm(folder, { recursive: true }))

/** What a reader of the page sees, without marks. */
const textOf = (page: string) =>
  page
    .replaceAll(/<style>.*?<\/style>/gs, '')
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ')

describe('figures as text', () => {
  it.each([
    [0.8125, '0.813', '81.3 %'],
    [0, '0.000', '0.0 %'],
    [1, '1.000', '100.0 %'],
    [null, '–', '–'],
    [undefined, '–', '–'],
  ])('%j reads %s or %s', (value, asDecimal, asPercent) => {
    expect([decimal(value), percent(value)]).toEqual([asDecimal, asPercent])
  })

  it('an interval is two of them, or none', () => {
    expect(intervalText({ interval: { low: 0.1, high: 0.25 } })).toBe('0.100 to 0.250')
    expect(intervalText({ interval: { low: 0.1, high: 0.25 } }, percent)).toBe('10.0 % to 25.0 %')
    expect(intervalText({ interval: null })).toBe('–')
  })
})

describe('a chart', () => {
  // The unit square lies from (44, 230) up to (344, 10).
  it('has its origin at the lower left', () => {
    const corners = line(
      [
        [0, 0],
        [1, 0],
        [1, 1],
        [0, 1],
      ],
      'curve',
    ).text
    expect(corners).toBe('<polyline class="curve" points="44,230 344,230 344,10 44,10"/>')
    expect(dot([0.5, 0.25], 3, 'point', 'a & b').text).toBe(
      '<circle class="point" cx="194" cy="175" r="3"><title>a &amp; b</title></circle>',
    )
  })

  it('has bars that stand on the axis, side by side', () => {
    const [first, second] = bars([1, 0.5], 'real', (index) => `bar ${index}`).map(({ text }) => text)
    expect(first).toContain('x="44" y="10" width="150" height="220"><title>bar 0<')
    expect(second).toContain('x="194" y="120" width="150" height="110"><title>bar 1<')
  })

  it('shades a stretch over its whole height', () => {
    expect(stretch(0.25, 0.75, 'band', 'band').text).toContain('x="119" y="10" width="150" height="220"')
  })

  it('names its axes and ticks, and can be read out', () => {
    const { text } = chart({ x: 'right', y: 'up', label: 'a "chart"', xTicks: ['a', 'b'] }, [])
    expect(text).toContain('role="img" aria-label="a &quot;chart&quot;"')
    expect(textOf(text)).toMatch(/a 0 b 0\.25 0\.5 0\.75 1 right up/)
  })

  it('puts a value and its interval on a line from 0 to 1', () => {
    const { text } = intervalBar(0.5, 0, 1)
    expect(text).toContain('<line class="whisker" x1="2" x2="118"')
    expect(text).toContain('<circle class="point" cx="60"')
  })
})

describe('the table of a column', () => {
  const group = (change: Partial<EvaluationGroup> = {}): EvaluationGroup => ({
    value: 'gan',
    real: 3,
    fake: 4,
    against: 'own',
    auc: { value: 0.9, interval: { low: 0.8, high: 0.95 } },
    tprAt5: { value: 0.5, interval: null },
    tprAt1: { value: null, interval: null },
    meanRisk: 0.5,
    realFlagged: 0.25,
    fakeFlagged: 1,
    realFlaggedInterval: null,
    fakeFlaggedInterval: { low: 0.4, high: 1 },
    unsure: 0.125,
    refused: 2,
    ...change,
  })

  it('has a line a value', () => {
    expect(textOf(groupTable('source', [group()]).text)).toContain(
      'gan 3 4 0.900 0.800 to 0.950 50.0 % – 25.0 % – 100.0 % 40.0 % to 100.0 % 12.5 % 2',
    )
  })

  it('says what a group of one class is set against, draws no bar without an interval, and is none without groups', () => {
    const real = groupTable('source', [group({ against: 'all-real', auc: { value: null, interval: null } })]).text
    expect(real).toContain('(against all real)')
    expect(real).not.toContain('<svg')
    expect(groupTable('source', [group({ against: 'all-fake' })]).text).toContain('(against all fake)')
    expect(groupTable('source', [group()]).text).not.toContain('against')
    expect(groupTable('source', []).text).toBe('')
  })

  it('lets no value or column smuggle in marks', () => {
    const { text } = groupTable('<b>', [group({ value: '<script>' })])
    expect(text).not.toMatch(/<b>|<script>/)
    expect(text).toContain('By &lt;b&gt;')
  })
})

describe('the cards of mistakes', () => {
  const mistake = (change: object = {}) => ({
    id: 'a.jpg',
    fake: false,
    risk: 0.876,
    unsureBecause: null,
    note: 'five crops',
    columns: { source: 'cam', generator: '-' },
    ...change,
  })

  it('show the picture where there is one, the risk, and where the file is from', () => {
    const { text } = mistakeCards({ real: [mistake()], fake: [] }, new Map([['a.jpg', 'data:image/jpeg;base64,AA']]))
    expect(text).toContain('<img alt="" src="data:image/jpeg;base64,AA">')
    expect(textOf(text)).toContain('Real, but the highest risks 87.6 a.jpg cam five crops')
    expect(textOf(text)).toContain('Fake, but the lowest risks None: every file of this class')
  })

  it('without any picture are wide ones for texts; unsure ones are marked', () => {
    const { text } = mistakeCards({ real: [mistake({ unsureBecause: 'flip', columns: {} })], fake: [] }, new Map())
    expect(text).toContain('class="cards words"')
    expect(text).not.toContain('<img')
    expect(text).toContain('>unsure<')
  })
})

describe('the page of an evaluation', () => {
  const rows = () => [
    scoredRow(0.9, true, { columns: { source: 'web' } }),
    scoredRow(0.2, true, { columns: { source: 'web' } }),
    scoredRow(0.1, false),
    scoredRow(0.7, false, { unsure: true, unsureBecause: 'flip' }),
    refusedRow('r', false),
  ]

  it('states what was measured, on what, by which package and command', () => {
    const text = textOf(evaluationPage(made(rows()), new Map()))
    for (const part of [
      'tiny-image@1.0.0',
      'AUC 0.750',
      'No verdict 40.0 %',
      '0 files lie inside, 1 more are flipped by a re-encoding',
      'Rows 5: 3 real, 2 fake',
      'Scored 4 Abstained: media-type-mismatch 1',
      'By source',
      'attestd models eval x',
      'Made 2026-11-22 13:05:07 UTC by attestd 0.1.0',
    ])
      expect(text).toContain(part)
    expect(text).not.toContain('Weighted to')
    expect(textOf(evaluationPage(made(rows(), 0.1), new Map()))).toContain('Weighted to a share of fakes of 10.0 %')
  })

  it.each([
    ['no row at all', () => []],
    ['refused rows alone', () => [refusedRow('a', true)]],
    ['one class', () => [scoredRow(0.9, true)]],
    ['one risk', () => [scoredRow(0.5, true), scoredRow(0.5, false)]],
  ])('of %s has no NaN or undefined in it', (_, scored) => {
    expect(evaluationPage(made(scored()), new Map())).not.toMatch(/NaN|undefined|Infinity|null/)
  })
})

describe('thumbnails', () => {
  it('are small JPEG pictures; what cannot be decoded is left out and harms no other', async () => {
    const write = async (name: string, data: Uint8Array | string) => {
      await fs.writeFile(path.join(folder, name), data)
      return path.join(folder, name)
    }
    const large = { create: { width: 900, height: 300, channels: 3, background: 'red' } } as const
    const small = { create: { width: 20, height: 30, channels: 3, background: 'blue' } } as const
    const files = new Map([
      ['text', await write('t.png', 'no picture')],
      ['large', await write('l.png', await sharp(large).png().toBuffer())],
      ['absent', path.join(folder, 'absent.png')],
      ['small', await write('s.png', await sharp(small).png().toBuffer())],
    ])
    const made = await makeThumbnails(files, systemClock, new AbortController().signal)
    expect([...made.keys()]).toEqual(['large', 'small'])
    const sizes = [...made.values()].map(async (url) => {
      const { format, height, width } = await sharp(
        Buffer.from(url.replace('data:image/jpeg;base64,', ''), 'base64'),
      ).metadata()
      return [format, width, height]
    })
    expect(await Promise.all(sizes)).toEqual([
      ['jpeg', 280, 93],
      ['jpeg', 20, 30],
    ])
  })

  it('are none after an interruption', async () => {
    const stopped = makeThumbnails(new Map([['a', '/a']]), systemClock, AbortSignal.abort())
    await expect(stopped).rejects.toMatchObject({ reason: 'draining' })
  })
})
