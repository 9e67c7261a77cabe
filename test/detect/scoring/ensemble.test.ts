import { describe, expect, it } from 'vitest'
import { asRisk } from '../../../src/core/risk.js'
import type { Detection } from '../../../src/detect/detection.js'
import { logitOf, sigmoid } from '../../../src/detect/scoring/calibration.js'
import { combine, ensembleIdentity, type Vote } from '../../../src/detect/scoring/ensemble.js'
import { storableDetection } from '../../support/pipeline-parts.js'

const member = (id: string, weight = 1, digest = id.repeat(8)) => ({ id, weight, digest })
const identity = ensembleIdentity([member('a'), member('b')])

function vote(id: string, risk: number, own: Partial<Omit<Vote, 'detection'>> & Partial<Detection> = {}): Vote {
  const { weight = 1, band = { low: 0.5, high: 0.5 }, ...detection } = own
  return {
    weight,
    band,
    detection: storableDetection({
      detectorId: id,
      detectorDigest: id,
      risk: asRisk(risk),
      rawScore: logitOf(risk),
      parts: [{ name: 'whole', risk: asRisk(risk) }],
      notes: `seen by ${id}`,
      ...detection,
    }),
  }
}

const variant = (risk: number) => ({ name: 'jpeg 70', risk: asRisk(risk) })

describe('the identity of an ensemble', () => {
  it('names its members and stays the same for the same ones', () => {
    expect(identity).toEqual(ensembleIdentity([member('a'), member('b')]))
    expect(identity.id).toBe('ensemble(a+b)')
    expect(identity.digest).toMatch(/^[0-9a-f]{64}$/)
    expect(identity.version).toBe(identity.digest.slice(0, 12))
  })

  it.each([
    ['another weight', [member('a', 2), member('b')]],
    ['another package of the same id', [member('a', 1, 'other'), member('b')]],
    ['a member more', [member('a'), member('b'), member('c')]],
  ])('%s gives another digest', (_, members) => expect(ensembleIdentity(members).digest).not.toBe(identity.digest))

  it('stays short with many members', () => {
    const many = Array.from({ length: 20 }, (_, index) => member(`a-rather-long-detector-id-${index}`))
    expect(ensembleIdentity(many).id).toMatch(/^ensemble\(a-rather-long-detector-id-0\+.*\+16 more\)$/)
  })
})

describe('the risk of an ensemble', () => {
  it.each([
    ['equal weights meet in the middle of the logits', [vote('a', 0.9), vote('b', 0.1)], 0.5],
    ['a weight counts by its share', [vote('a', 0.9, { weight: 3 }), vote('b', 0.1)], sigmoid(logitOf(0.9) / 2)],
    ['agreement stays where it is', [vote('a', 0.8), vote('b', 0.8, { weight: 7 })], 0.8],
    ['certainty is bounded', [vote('a', 1), vote('b', 0)], 0.5],
    ['one alone gives its own risk', [vote('a', 0.37)], 0.37],
  ])('%s', (_, votes, risk) => expect(combine(identity, votes, []).risk).toBeCloseTo(risk, 9))

  it('has the combined logit as its raw score', () => {
    const { rawScore, risk } = combine(identity, [vote('a', 0.9), vote('b', 0.6, { weight: 2 })], [])
    expect(rawScore).toBeCloseTo((logitOf(0.9) + 2 * logitOf(0.6)) / 3, 12)
    expect(risk).toBe(sigmoid(rawScore))
  })
})

describe('the doubt of an ensemble', () => {
  const wide = { low: 0.3, high: 0.95 }
  const narrow = { low: 0.45, high: 0.55 }
  const [from0, upTo1] = [
    { low: 0, high: 0.7 },
    { low: 0.3, high: 1 },
  ]
  // The band of equal weights: 0.37 to 0.83.
  it.each([
    [[vote('a', 0.8, { band: wide }), vote('b', 0.7, { band: narrow })], 'band'],
    [[vote('a', 0.9, { band: wide }), vote('b', 0.9, { band: narrow })], null],
    [[vote('a', 0.2, { band: wide }), vote('b', 0.3, { band: narrow })], null],
    [[vote('a', 0.8, { band: wide, weight: 9 }), vote('b', 0.8, { band: narrow })], 'band'],
    [[vote('a', 0.8, { band: wide }), vote('b', 0.8, { band: narrow, weight: 9 })], null],
    [[vote('a', 1, { band: upTo1 }), vote('b', 1, { band: upTo1 })], 'band'],
    [[vote('a', 0, { band: from0 }), vote('b', 0, { band: from0 })], 'band'],
  ] as const)('follows the weighted band %#', (votes, because) => {
    expect(combine(identity, votes, [])).toMatchObject({ unsure: because !== null, unsureBecause: because })
  })

  it.each([
    ['a flip that the others outweigh', [vote('a', 0.6, { variants: [variant(0.4)] }), vote('b', 0.99)], null],
    ['a flip that turns the verdict', [vote('a', 0.6, { variants: [variant(0.1)] }), vote('b', 0.8)], 'flip'],
    [
      'flips that turn it together',
      [vote('a', 0.7, { variants: [variant(0.4)] }), vote('b', 0.7, { variants: [variant(0.4)] })],
      'flip',
    ],
    ['a flip upwards', [vote('a', 0.3, { variants: [variant(0.9)] }), vote('b', 0.4)], 'flip'],
    ['variants on the same side', [vote('a', 0.9, { variants: [variant(0.8), variant(0.99)] }), vote('b', 0.7)], null],
  ] as const)('%s', (_, votes, because) => expect(combine(identity, votes, []).unsureBecause).toBe(because))
})

describe('the report of an ensemble', () => {
  it('names the member of each part, the highest first, and each fact once', () => {
    const fact = { kind: 'exif', text: 'Software: x' } as const
    const found = combine(identity, [vote('a', 0.6, { evidence: [fact] }), vote('b', 0.8, { evidence: [fact] })], [])
    expect(found.parts.map(({ name }) => name)).toEqual(['b: whole', 'a: whole'])
    expect(found.evidence).toEqual([fact])
    expect(found.elapsedMs).toEqual({ decode: 2, infer: 4 })
  })

  it('names the members left out, with the reason', () => {
    const { notes, risk } = combine(identity, [vote('a', 0.6)], [{ id: 'b', reason: 'media-too-small' }])
    expect(notes).toBe('a 60.0 (weight 1): seen by a; b left out: media-too-small')
    expect(risk).toBeCloseTo(0.6, 12)
  })

  it('keeps its notes short with many members', () => {
    const votes = Array.from({ length: 40 }, (_, index) => vote(`m${index}`, 0.5, { notes: 'long '.repeat(400) }))
    expect(combine(identity, votes, []).notes.length).toBeLessThanOrEqual(2000)
  })
})
