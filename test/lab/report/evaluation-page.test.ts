import { describe, expect, it } from 'vitest'
import type { ScoredRow } from '../../../src/lab/evaluate/scored-row.js'
import { evaluationPage } from '../../../src/lab/report/evaluation-page.js'
import { refusedRow, scoredRow } from '../../support/scored-rows.js'
import { tinyLoaded } from '../../support/tiny-loaded.js'
import { evaluationBy } from '../evaluate/evaluation-by.js'
import { textOf } from './text-of-page.js'

const tiny = tinyLoaded()
const made = (scored: readonly ScoredRow[], prior: number | null = null) =>
  evaluationBy(tiny(), scored, { prior, by: ['source'] })

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
      '0 files lie inside, 1 more are flipped by another reading of the file',
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

  it('states rows of the same bytes, and that a column has more values than lines', () => {
    const many = Array.from({ length: 61 }, (_, nth) => scoredRow(0.9, true, { columns: { source: `s${nth}` } }))
    const evaluation = made(many)
    const duplicates = { rows: 60, contradictory: 0, examples: [] }
    const text = textOf(evaluationPage({ ...evaluation, data: { ...evaluation.data, duplicates } }, new Map()))
    expect(text).toContain('Rows with the bytes of another row 60')
    expect(text).toContain('By source (the 60 largest)')
  })

  it('draws chance in the precision-recall curve at the share of fakes among the scored rows', () => {
    const refused = Array.from({ length: 40 }, (_, nth) => refusedRow(`${nth}`, false))
    const chance = (scored: readonly ScoredRow[]) =>
      evaluationPage(made(scored), new Map()).match(/class="chance"[^>]*/g)
    expect(chance([...rows(), ...refused])).toEqual(chance(rows().slice(0, 4)))
  })

  it.each([
    ['no row at all', () => []],
    ['refused rows alone', () => [refusedRow('a', true)]],
    ['one class', () => [scoredRow(0.9, true)]],
    ['one risk', () => [scoredRow(0.5, true), scoredRow(0.5, false)]],
  ])('of %s contains no NaN or undefined', (_, scored) => {
    expect(evaluationPage(made(scored()), new Map())).not.toMatch(/NaN|undefined|Infinity|null/)
  })
})
