import { describe, expect, it } from 'vitest'

// `vitest.config.ts` loads `support/compared-values` before every test file.
describe('a regular expression in an expected object', () => {
  it.each([
    ['a field', { reason: 'too large' }, { reason: /large/ }, { reason: /small/ }],
    ['a field of a field', { a: { b: 'too large' } }, { a: { b: /large/ } }, { a: { b: /small/ } }],
    ['an item', ['too large'], [/large/], [/small/]],
    ['a field of an item', [{ a: 'too large' }], [{ a: /large/ }], [{ a: /small/ }]],
    ['a field that is no text', { a: 12, b: '' }, { b: /^$/ }, { a: /12/ }],
    ['a field that is missing', {}, {}, { a: /x/ }],
  ])('is compared with %s', (_, actual, same, other) => {
    expect(actual).toMatchObject(same)
    expect(actual).not.toMatchObject(other)
  })

  it('is compared with another one as before', () => {
    expect({ a: /x/ }).toEqual({ a: /x/ })
    expect({ a: /x/ }).not.toEqual({ a: /y/ })
  })
})

describe('an array of numbers', () => {
  it('is equal to another of its type and values, wherever that begins', () => {
    expect(Uint8Array.of(1, 2)).toStrictEqual(Uint8Array.of(0, 1, 2).subarray(1))
    expect({ a: Float32Array.of(Number.NaN, 1) }).toEqual({ a: Float32Array.of(Number.NaN, 1) })
  })

  it.each([
    ['values', Uint8Array.of(1, 2), Uint8Array.of(1, 3)],
    ['length', Uint8Array.of(1, 0), Uint8Array.of(1)],
    ['kind', Uint8Array.of(1, 0), Uint16Array.of(1)],
    ['class', Uint8Array.of(1), Buffer.of(1)],
    ['sign of zero', Float32Array.of(0), Float32Array.of(-0)],
  ])('is not equal to one of other %s', (_, one, other) => {
    expect(one).not.toStrictEqual(other)
    expect({ a: one }).not.toStrictEqual({ a: other })
  })
})
