import { describe, expect, it } from 'vitest'
import { asRisk } from '../../../src/core/risk.js'
import { doubtText, isFlip } from '../../../src/detect/scoring/to-detection.js'

describe('isFlip', () => {
  it.each([
    [0.4, 0.6, true],
    [0.6, 0.4, true],
    [0.5, 0.51, true],
    [0.9, 0.6, false],
    [0.1, 0.5, false],
  ])('a variant at %d of a file at %d: %s', (variant, risk, flips) =>
    expect(isFlip(asRisk(variant), asRisk(risk))).toBe(flips),
  )
})

describe('doubtText', () => {
  const variants = [
    { name: 'JPEG quality 80', risk: asRisk(0.412) },
    { name: '75 % size', risk: asRisk(0.93) },
  ]
  it.each([
    [{ risk: asRisk(0.97), unsureBecause: null, variants }, null],
    [{ risk: asRisk(0.6), unsureBecause: 'band', variants }, 'lies in the decision band'],
    [
      { risk: asRisk(0.97), unsureBecause: 'flip', variants },
      'depends on how the file is read: 41.2 as JPEG quality 80',
    ],
    [
      { risk: asRisk(0.97), unsureBecause: 'flip', variants: [] },
      'depends on how the file is read: another reading flips the verdict',
    ],
  ] as const)('%o: %s', (detection, text) => expect(doubtText(detection)).toBe(text))
})
