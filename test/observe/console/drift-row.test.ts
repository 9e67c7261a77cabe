import { expect, it } from 'vitest'
import type { DriftRow } from '../../../src/fleet/daemon-state.js'
import { driftLines } from '../../../src/observe/console/drift-row.js'
import { textsOfClass, visibleText } from './visible-text.js'

const ROW: DriftRow = { detector: 'image@1', reference: 'own', files: 500, needed: 700, risk: 0.1, abstention: 0.05 }

it.each([
  ['both small', 0.1, 0.05, 'soft'],
  ['both at the limit of the alert', 0.25, 0.25, 'soft'],
  ['a risk just above it', 0.2501, 0, 'warn'],
  ['an abstention just above it', 0, 0.2501, 'warn'],
])('a shift is marked where one of its parts is large: %s', (_, risk, abstention, tone) => {
  expect(textsOfClass(driftLines([{ ...ROW, risk, abstention }]), tone)).toHaveLength(1)
})

it.each([
  ['evaluation', 'last 500 files against its evaluation.'],
  ['own', 'last 500 files against its first verdicts here.'],
  [null, 'last 500 files against nothing.'],
] as const)('names its reference: %s', (reference, text) => {
  expect(visibleText(driftLines([{ ...ROW, reference }]))).toBe(`Drift of image@1: risk 0.10, abstention 0.05, ${text}`)
})

it.each([
  [null, null],
  [0.3, null],
  [null, 0.3],
])('shows no number while one is missing: risk %j, abstention %j', (risk, abstention) => {
  expect(visibleText(driftLines([{ ...ROW, risk, abstention }]))).toBe(
    'Drift of image@1: needs 700 files (500 so far).',
  )
})

it('shows one line per detector, and escapes its name', () => {
  const lines = driftLines([ROW, { ...ROW, detector: '<b>' }])
  expect(textsOfClass(lines, 'soft')).toHaveLength(2)
  expect(lines.text).not.toContain('<b>')
  expect(driftLines([]).text).toBe('')
})
