import { beforeAll, describe, expect, it } from 'vitest'
import { loadPackage } from '../../../src/detect/package/package-loader.js'
import { evaluate } from '../../../src/lab/evaluate/evaluate.js'
import type { Evaluation } from '../../../src/lab/evaluate/evaluation.js'
import type { ScoredRow } from '../../../src/lab/evaluate/scored-row.js'
import { seededRandom } from '../../../src/lab/metrics/seeded-random.js'
import { evaluationPage } from '../../../src/lab/report/evaluation-page.js'
import { writeTinyPackage } from '../../support/detector-package.js'
import { refusedRow, scoredRow } from '../../support/scored-rows.js'
import { folderForAll } from '../../support/temporary-folder.js'
import { textOf } from './text-of-page.js'

const folder = folderForAll()
let made: (scored: readonly ScoredRow[], prior?: number | null) => Evaluation
beforeAll(async () => {
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
