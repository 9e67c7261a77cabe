import { describe, expect, it } from 'vitest'
import type { EvaluationGroup } from '../../../src/lab/evaluate/evaluation.js'
import { groupTable } from '../../../src/lab/report/evaluation-page.js'
import { textOf } from './text-of-page.js'

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

  it('has one line per value', () => {
    expect(textOf(groupTable('source', [group()]).text)).toContain(
      'gan 3 4 0.900 0.800 to 0.950 50.0 % – 25.0 % – 100.0 % 40.0 % to 100.0 % 12.5 % 2',
    )
  })

  it('states the other class of a group of one class, draws no bar without an interval, and is empty without groups', () => {
    const real = groupTable('source', [group({ against: 'all-real', auc: { value: null, interval: null } })]).text
    expect(real).toContain('(against all real)')
    expect(real).not.toContain('<svg')
    expect(groupTable('source', [group({ against: 'all-fake' })]).text).toContain('(against all fake)')
    expect(groupTable('source', [group()]).text).not.toContain('against')
    expect(groupTable('source', []).text).toBe('')
  })

  it('escapes every value and column', () => {
    const { text } = groupTable('<b>', [group({ value: '<script>' })])
    expect(text).not.toMatch(/<b>|<script>/)
    expect(text).toContain('By &lt;b&gt;')
  })
})
