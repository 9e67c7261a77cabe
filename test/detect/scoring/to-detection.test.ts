import { describe, expect, it } from 'vitest'
import { asRisk } from '../../../src/core/risk.js'
import type { MeasuredFile } from '../../../src/detect/contract/measurement.js'
import type { DetectorManifest } from '../../../src/detect/package/manifest.js'
import { logitOf, sigmoid } from '../../../src/detect/scoring/calibration.js'
import { doubtText, isFlip, toDetection } from '../../../src/detect/scoring/to-detection.js'
import { parsedTinyManifest } from '../../support/detector-package.js'

const MEASURED: MeasuredFile = {
  rawScore: 2,
  notes: 'seen',
  length: 400,
  parts: [
    { name: 'left', rawScore: 3 },
    { name: 'right', rawScore: -1 },
  ],
  variants: [],
  evidence: [{ kind: 'exif', text: 'exif Software "x"' }],
  elapsedMs: { decode: 5, infer: 7, stages: { faces: 2 } },
}
const BINS = {
  kind: 'by-length',
  bins: [
    { upTo: 500, slope: 0.5, intercept: 1 },
    { slope: 1, intercept: 0 },
  ],
}

const manifest = parsedTinyManifest('tiny', { calibration: BINS })
const detect = (measured: Partial<MeasuredFile>, fields: Partial<DetectorManifest> = {}, expectedShare = 0.5) =>
  toDetection(
    { folder: '/m', digest: 'd'.repeat(64), manifest: { ...manifest, ...fields } },
    { ...MEASURED, ...measured },
    { platform: 'here', expectedShare },
  )

describe('toDetection', () => {
  it('calibrates the file and each of its parts by the length of the file', () => {
    const { risk, parts, rawScore } = detect({})
    expect(risk).toBe(sigmoid(2))
    expect(parts).toEqual([
      { name: 'left', risk: sigmoid(2.5) },
      { name: 'right', risk: sigmoid(0.5) },
    ])
    expect(rawScore).toBe(2)
    expect(detect({ length: 501 }).parts[0]?.risk).toBe(sigmoid(3))
    expect(detect({ length: undefined }).risk).toBe(sigmoid(2))
  })

  it('multiplies the odds by those of the expected share, and keeps the ends of the band', () => {
    const identity = { calibration: { kind: 'identity' }, decisionBand: { low: 0.2, high: 0.7 } } as const
    const at = (share: number) => detect({ rawScore: Math.log(3) }, identity, share)
    expect(at(0.5)).toMatchObject({ risk: expect.closeTo(0.75, 12), unsure: false, expectedShare: 0.5 })
    const rare = at(0.1)
    expect(rare.risk).toBeCloseTo(0.25, 12)
    expect(rare).toMatchObject({ unsureBecause: 'band', expectedShare: 0.1, rawScore: Math.log(3) })
    expect(rare.parts[0]?.risk).toBeCloseTo(sigmoid(3 - Math.log(9)), 12)
    expect(at(0.01)).toMatchObject({ unsure: false })
  })

  it('names detector and platform, and passes on what was seen', () => {
    expect(detect({})).toMatchObject({
      detectorId: 'tiny',
      detectorVersion: '1.0.0',
      detectorDigest: 'd'.repeat(64),
      platform: 'here',
      notes: 'seen',
      length: 400,
      evidence: MEASURED.evidence,
      elapsedMs: MEASURED.elapsedMs,
    })
  })
})

describe('doubt', () => {
  const IDENTITY = { calibration: { kind: 'identity' }, decisionBand: { low: 0.3, high: 0.7 } } as const
  const of = (risk: number, ...variants: number[]) => {
    const scored = variants.map((each, index) => ({ name: `variant ${index}`, rawScore: logitOf(each) }))
    return detect({ rawScore: logitOf(risk), variants: scored }, IDENTITY)
  }

  it.each([
    ['above the band', 0.9, [], null],
    ['below it', 0.1, [], null],
    ['inside it', 0.6, [], 'band'],
    ['inside it, whatever its variants say', 0.6, [0.1], 'band'],
    ['above, with variants that stay above 50 %', 0.9, [0.6, 0.99], null],
    ['above, with one that falls below', 0.9, [0.6, 0.4], 'flip'],
    ['below, with one that rises above', 0.1, [0.51], 'flip'],
    ['below, with one at 50 % exactly', 0.1, [0.5], null],
  ])('%s', (_, risk, variants, because) => {
    expect(of(risk, ...variants)).toMatchObject({ unsure: because !== null, unsureBecause: because })
  })

  it('keeps the risks of the variants, calibrated', () => {
    const variants = [{ name: 'half size', rawScore: 4 }]
    expect(detect({ variants }).variants).toEqual([{ name: 'half size', risk: sigmoid(3) }])
  })
})

it.each([
  [0.4, 0.6, true],
  [0.6, 0.4, true],
  [0.5, 0.51, true],
  [0.9, 0.6, false],
  [0.1, 0.5, false],
])('isFlip a variant at %d of a file at %d: %s', (variant, risk, flips) =>
  expect(isFlip(asRisk(variant), asRisk(risk))).toBe(flips),
)

const variants = [
  { name: 'JPEG quality 80', risk: asRisk(0.412) },
  { name: '75 % size', risk: asRisk(0.93) },
]
it.each([
  [{ risk: asRisk(0.97), unsureBecause: null, variants }, null],
  [{ risk: asRisk(0.6), unsureBecause: 'band', variants }, 'lies in the decision band'],
  [{ risk: asRisk(0.97), unsureBecause: 'flip', variants }, 'depends on how the file is read: 41.2 as JPEG quality 80'],
  [
    { risk: asRisk(0.97), unsureBecause: 'flip', variants: [] },
    'depends on how the file is read: another reading flips the verdict',
  ],
] as const)('doubtText %o: %s', (detection, text) => expect(doubtText(detection)).toBe(text))
