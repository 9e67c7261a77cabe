import { describe, expect, it } from 'vitest'

// `vitest.config.ts` loads `support/compared-patterns` before every test file.
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
