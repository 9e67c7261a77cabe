import { describe, expect, it } from 'vitest'
import { type ComparisonRow, canaryText, comparisonRow, summedRows } from '../../src/fleet/comparison-row.js'

const ROW: ComparisonRow = {
  candidate: 'new@2.0.0',
  mediaType: 'image',
  inCharge: 'old@1.0.0',
  files: 9,
  compared: 4,
  agreed: 3,
  wouldChange: 1,
  differences: 10,
  candidateAbstained: 1,
  inChargeAbstained: 2,
  failed: 5,
  candidateMs: 100,
  inChargeMs: 60,
}

describe('summedRows', () => {
  it('adds up what several daemons counted for one canary and kind of media', () => {
    const other = { ...ROW, compared: 6, agreed: 1, differences: -30, candidateAbstained: 10, inChargeAbstained: 20 }
    expect(summedRows([ROW, { ...other, failed: 50, candidateMs: 1000, inChargeMs: 600 }])).toEqual([
      {
        ...ROW,
        files: 18,
        wouldChange: 2,
        compared: 10,
        agreed: 4,
        differences: -20,
        candidateAbstained: 11,
        inChargeAbstained: 22,
        failed: 55,
        candidateMs: 1100,
        inChargeMs: 660,
      },
    ])
  })

  it('keeps canaries, versions and kinds separate, in the order of their first row', () => {
    const rows = [ROW, { ...ROW, mediaType: 'audio' }, { ...ROW, candidate: 'new@2.0.1' }, ROW]
    const summed = summedRows(rows)
    expect(summed.map(({ candidate, mediaType, compared }) => [candidate, mediaType, compared])).toEqual([
      ['new@2.0.0', 'image', 8],
      ['new@2.0.0', 'audio', 4],
      ['new@2.0.1', 'image', 4],
    ])
  })

  it('names the active detectors as soon as one daemon knows them', () => {
    const unknown = { ...ROW, inCharge: null }
    expect(summedRows([unknown, ROW])[0]?.inCharge).toBe('old@1.0.0')
    expect(summedRows([ROW, unknown])[0]?.inCharge).toBe('old@1.0.0')
    expect(summedRows([unknown, unknown])[0]?.inCharge).toBeNull()
    expect(summedRows([])).toEqual([])
  })

  it('changes no row of its input', () => {
    const rows = [structuredClone(ROW), structuredClone(ROW)]
    summedRows(rows)
    expect(rows).toEqual([ROW, ROW])
  })
})

describe('canaryText', () => {
  it('returns means over the files that both scored', () => {
    expect(canaryText(ROW)).toBe(
      'new@2.0.0 on image against old@1.0.0: 4 compared, 3 agree at risk 50, risk +2.5 on average, abstained 1 to 2, 25 ms to 15 ms per file, 5 could not be compared',
    )
  })

  it.each([
    [-10, 'risk -2.5 on average'],
    [0, 'risk +0.0 on average'],
  ])('shows the direction of a difference of %i points', (differences, text) => {
    expect(canaryText({ ...ROW, differences })).toContain(text)
  })

  it('divides by nothing before the first file', () => {
    const text = canaryText({
      ...ROW,
      inCharge: null,
      compared: 0,
      agreed: 0,
      differences: 0,
      candidateMs: 0,
      inChargeMs: 0,
    })
    expect(text).toContain('against nothing yet: 0 compared')
    expect(text).toContain('0 ms to 0 ms')
    expect(text).not.toMatch(/NaN|Infinity/)
  })
})

it.each([
  ['fewer than none', { compared: -1 }],
  ['half a file', { agreed: 0.5 }],
  ['no candidate', { candidate: undefined }],
])('an announcement of another daemon is refused where it states %s', (_, fields) => {
  expect(comparisonRow.safeParse({ ...ROW, ...fields }).success).toBe(false)
  expect(comparisonRow.safeParse(ROW).success).toBe(true)
})
