import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { cleanLine, cleanText, jobIdOf, jsonIn, readJson, shortDigest } from '../../src/core/text.js'

describe('one sanitized line', () => {
  it.each([
    ['  spaces  around ', 'spaces around'],
    ['two\r\nlines', 'two lines'],
    ['a\u2028b\u2029c', 'a b c'],
    ['tab\tand\u0000nul\u001b[31m', 'tab and nul [31m'],
    ['over\u202eride', 'over ride'],
    ['zero\u200bwidth', 'zero width'],
    ['half \ud800', 'half \ufffd'],
    ['', ''],
    [' \n ', ''],
    ['héllo 世界 🙂', 'héllo 世界 🙂'],
  ])('of %j is %j', (text, line) => {
    expect(cleanLine(text)).toBe(line)
  })

  it('has a maximum length, with a mark where something is missing', () => {
    expect(cleanLine('x'.repeat(300))).toBe('x'.repeat(300))
    expect(cleanLine('x'.repeat(301))).toBe(`${'x'.repeat(299)}…`)
    expect(cleanLine('abcdef', 4)).toBe('abc…')
  })

  it('is counted after cleaning: white space does not shorten the text', () => {
    expect(cleanLine(`a${' '.repeat(1000)}b`, 5)).toBe('a b')
  })

  it('is made of the beginning of an endless text only', () => {
    expect(cleanLine(`${' '.repeat(20_000)}late`)).toBe('')
    expect(cleanLine(`${' '.repeat(19_999)}late`)).toBe('l')
  })
})

describe('sanitized text', () => {
  it('keeps lines, and up to 2000 units', () => {
    expect(cleanText('a\nb\tc')).toBe('a\nb\tc')
    expect(cleanText('x'.repeat(2000))).toHaveLength(2000)
    expect(cleanText('x'.repeat(2001))).toBe(`${'x'.repeat(1999)}…`)
  })

  it('loses NUL and lone surrogates, and is not cut within a character', () => {
    expect(cleanText('a\u0000b\ud800c 顔🙂')).toBe('a\ufffdb\ufffdc 顔🙂')
    expect(cleanText('abc🙂def', 5)).toBe('abc\ufffd…')
  })
})

it('a short digest is its first twelve digits', () => {
  expect(shortDigest('0123456789abcdef'.repeat(4))).toBe('0123456789ab')
})

it('job ids are valid for any asset id, and BullMQ accepts them', () => {
  const ids = ['1', 'a:b', '', '  ', '\u00e9', 'e\u0301', 'x'.repeat(9999)].map(jobIdOf)
  expect(new Set(ids).size).toBe(ids.length)
  for (const id of ids) expect(id).toMatch(/^asset-[0-9a-f]{40}$/)
})

describe('external JSON', () => {
  it('is its value, and undefined where invalid', () => {
    expect([jsonIn('{"a":1}'), jsonIn('null'), jsonIn('{"a":'), jsonIn('')]).toEqual([
      { a: 1 },
      null,
      undefined,
      undefined,
    ])
  })

  it('of a shape is read, and null for another shape or invalid JSON', () => {
    const shape = z.object({ a: z.string().transform(Number) })
    expect([readJson(shape, '{"a":"1"}'), readJson(shape, '{"a":1}'), readJson(shape, '{')]).toEqual([
      { a: 1 },
      null,
      null,
    ])
  })
})
