import { expect, it } from 'vitest'
import { parseJson } from '../../src/service/parse-json.js'

it('parses text of up to so many parts, and no more', () => {
  expect(parseJson('{"a": [1, {"b": "x"}]}', 6)).toEqual({ a: [1, { b: 'x' }] })
  expect(parseJson('7', 0)).toBe(7)
  expect(() => parseJson('{"a": [1, {"b": "x"}, 2]}', 6)).toThrow(RangeError)
  expect(() => parseJson('[[[', 2)).toThrow(RangeError)
})

it('refuses what is not JSON', () => {
  expect(() => parseJson('[', 5)).toThrow(SyntaxError)
  expect(() => parseJson('', 5)).toThrow(SyntaxError)
})
