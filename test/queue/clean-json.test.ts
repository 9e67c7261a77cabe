import { describe, expect, it } from 'vitest'
import { cleanJson } from '../../src/queue/clean-json.js'

function nested(depth: number): unknown {
  return depth === 0 ? 'leaf' : [nested(depth - 1)]
}

describe('clean JSON', () => {
  it.each([
    ['plain data', { a: [1, 'x', null, true] }, { a: [1, 'x', null, true] }],
    ['NUL', 'a\u0000b', 'a\ufffdb'],
    ['lone surrogates', ['\ud800', 'x\udc00', '\ud83d\ude00'], ['\ufffd', 'x\ufffd', '\ud83d\ude00']],
    ['keys', { 'k\u0000': { '\ud800': 1 } }, { 'k\ufffd': { '\ufffd': 1 } }],
    ['what JSON drops', { a: undefined, b: Number.NaN, c: new Date(0) }, { b: null, c: '1970-01-01T00:00:00.000Z' }],
    ['nothing', undefined, null],
    ['long text', 'x'.repeat(1_048_574), 'x'.repeat(1_048_574)],
  ])('%s', (_, value, expected) => {
    expect(cleanJson(value)).toEqual(expected)
  })

  it('keeps a key named __proto__ as data', () => {
    const value = cleanJson(JSON.parse('{"__proto__": {"polluted": 1}}')) as object
    expect(Object.keys(value)).toEqual(['__proto__'])
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
  })

  const circle: { self?: unknown } = {}
  circle.self = circle
  it.each([
    ['a bigint', { n: 1n }],
    ['a circle', circle],
    ['too many bytes', 'é'.repeat(524_288)],
    ['too deep', nested(70)],
  ])('refuses %s by name', (_, value) => {
    expect(() => cleanJson(value)).toThrow(expect.objectContaining({ reason: 'job-malformed' }))
  })
})
