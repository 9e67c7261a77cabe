import { describe, expect, it } from 'vitest'
import { fromHalves, toHalves } from '../../../src/detect/runtimes/half-floats.js'

const through = (...values: number[]) => [...fromHalves(toHalves(Float32Array.from(values)))]

describe('half-precision floats', () => {
  it('survive a round trip, except NaN', () => {
    const all = Uint16Array.from({ length: 65_536 }, (_, bits) => bits).filter((bits) => (bits & 0x7fff) <= 0x7c00)
    expect(toHalves(fromHalves(all))).toEqual(all)
  })

  it.each([
    [1, 0x3c00],
    [-2, 0xc000],
    [65_504, 0x7bff],
    [2 ** -24, 0x0001],
    [-Infinity, 0xfc00],
  ])('%d is %i', (value, bits) => expect(toHalves(Float32Array.of(value))).toEqual(Uint16Array.of(bits)))

  it('are rounded to the nearest, too large ones to infinity and too small ones to zero', () => {
    expect(through(1 + 1 / 1024 + 1 / 8192, 0.1)).toEqual([1 + 1 / 1024, 0.0999755859375])
    expect(through(1e6, -1e6, 1e-9, Number.NaN)).toEqual([Infinity, -Infinity, 0, Number.NaN])
  })
})
