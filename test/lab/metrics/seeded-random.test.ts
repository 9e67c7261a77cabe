import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../../src/lab/metrics/seeded-random.js'

describe('seeded numbers', () => {
  it('are those of mulberry32, so that figures can be reproduced on another machine', () => {
    // From the reference implementation of Tommy Ettinger (2017) with seed 1.
    const random = seededRandom(1)
    expect([random(), random(), random()].map((each) => Math.round(each * 2 ** 32))).toEqual([
      2_693_262_067, 11_749_833, 2_265_367_787,
    ])
  })

  it('are spread over [0, 1), differ by seed, and accept any seed', () => {
    const numbers = (seed: number) => {
      const random = seededRandom(seed)
      return Array.from({ length: 10_000 }, () => random())
    }
    const some = numbers(7)
    for (let tenth = 0; tenth < 10; tenth++) {
      const inTenth = some.filter((each) => Math.floor(each * 10) === tenth).length
      expect(Math.abs(inTenth - 1000)).toBeLessThan(150)
    }
    expect(Math.max(...some)).toBeLessThan(1)
    expect(numbers(8)).not.toEqual(some)
    expect(numbers(-1)).toEqual(numbers(2 ** 32 - 1))
  })
})
