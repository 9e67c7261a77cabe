import { expect, it } from 'vitest'
import { inTurns, parseJson } from '../../src/service/long-answers.js'

it('returns items in order, and yields to the event loop after every 64', async () => {
  let turns = 0
  let isCounting = true
  const count = () => {
    turns++
    if (isCounting) setImmediate(count)
  }
  setImmediate(count)
  const seen: number[] = []
  for await (const item of inTurns(Array.from({ length: 640 }, (_, at) => at))) seen.push(item)
  isCounting = false
  expect(seen).toEqual(Array.from({ length: 640 }, (_, at) => at))
  expect(turns).toBeGreaterThanOrEqual(9)
})

it('parses text with a limited number of parts', () => {
  expect(parseJson('{"a": [1, {"b": "x"}]}', 6)).toEqual({ a: [1, { b: 'x' }] })
  expect(parseJson('7', 0)).toBe(7)
  expect(() => parseJson('{"a": [1, {"b": "x"}, 2]}', 6)).toThrow(RangeError)
  expect(() => parseJson('[[[', 2)).toThrow(RangeError)
})

it('refuses what is not JSON', () => {
  expect(() => parseJson('[', 5)).toThrow(SyntaxError)
  expect(() => parseJson('', 5)).toThrow(SyntaxError)
})
