import { describe, expect, it } from 'vitest'
import { A_LAW, encodeMuLaw, MU_LAW } from '../../../../src/detect/audio/decode/companding.js'

const CODES = Array.from({ length: 256 }, (_, code) => code)
const sixteenBit = (table: Float32Array, code: number) => (table[code] as number) * 32_768

describe('mu-law', () => {
  // Segment ends of ITU-T G.711 table 2a, in 16-bit units: the code of the largest value of each segment.
  it.each([
    [0x80, 32_124],
    [0x8f, 16_764],
    [0x90, 15_996],
    [0x9f, 8316],
    [0xaf, 4092],
    [0xbf, 1980],
    [0xcf, 924],
    [0xdf, 396],
    [0xef, 132],
    [0xfe, 8],
  ])('code %i stands for %i, and without its top bit for the same below zero', (code, value) => {
    expect(sixteenBit(MU_LAW, code)).toBe(value)
    expect(sixteenBit(MU_LAW, code & 0x7f)).toBe(-value)
  })

  it('every code except negative zero is the encoding of its own value', () => {
    const changed = CODES.filter((code) => encodeMuLaw(MU_LAW[code] as number) !== code)
    expect(changed).toEqual([0x7f])
    expect(encodeMuLaw(MU_LAW[0x7f] as number)).toBe(0xff)
  })

  it('takes the nearest value within the steps of a segment', () => {
    const worst = Array.from({ length: 2001 }, (_, index) => (index - 1000) / 1000).map((sample) => {
      const decoded = MU_LAW[encodeMuLaw(sample)] as number
      // Half a step is 1/33 of the magnitude with the bias of 132.
      return Math.abs(decoded - sample) / (Math.abs(sample) + 132 / 32_768)
    })
    expect(Math.max(...worst)).toBeLessThan(1 / 30)
  })

  it.each([
    ['full scale', 1, 0x80],
    ['far beyond it', 40, 0x80],
    ['full scale below zero', -1, 0x00],
    ['far below it', -40, 0x00],
    ['nothing', 0, 0xff],
  ])('clips at its loudest value: %s', (_, sample, code) => {
    expect(encodeMuLaw(sample)).toBe(code)
  })
})

// ITU-T G.711 table 1a, in 16-bit units: first and last value of some segments.
it.each([
  [0xaa, 32_256],
  [0xa5, 16_896],
  [0xba, 16_128],
  [0xb5, 8448],
  [0x8a, 8064],
  [0xd5, 8],
  [0xda, 248],
  [0xc5, 264],
  [0xca, 504],
  [0xf5, 528],
])('A-law code %i stands for %i, and without its top bit for the same below zero', (code, value) => {
  expect(sixteenBit(A_LAW, code)).toBe(value)
  expect(sixteenBit(A_LAW, code & 0x7f)).toBe(-value)
})

it.each([
  ['mu-law', MU_LAW, 255],
  ['A-law', A_LAW, 256],
])('%s: each value stands for one code, and each has its opposite', (_, table, values) => {
  expect(new Set(Array.from(table, (value) => value + 0)).size).toBe(values)
  expect(CODES.every((code) => (table[code] as number) === -(table[code ^ 0x80] as number))).toBe(true)
})
