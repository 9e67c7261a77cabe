import { parse } from 'csv-parse/sync'
import { describe, expect, it } from 'vitest'
import { csvCell } from '../../src/core/csv.js'
import { escapedJson, safeJson, safeLine, safeLines, safeText } from '../../src/core/safe-output.js'
import { hostileTexts, UNSAFE_SIGN } from '../support/hostile-texts.js'

const hostile = hostileTexts(300)

describe('sanitized text', () => {
  it('for people keeps lines and tabs, and drops control codes', () => {
    expect(safeText('a\tb\r\nc\nd é 漢 😀 —')).toBe('a\tb\r\nc\nd é 漢 😀 —')
    expect(safeText('a\rb\u001b[31mc')).toBe('a\ufffdb\ufffd[31mc')
    for (const text of hostile) expect(safeText(text).replaceAll(/\r\n|[\t\n]/g, '')).not.toMatch(UNSAFE_SIGN)
  })

  it('for a line or a cell has no line end either', () => {
    for (const text of hostile) {
      expect(safeLine(text)).not.toMatch(UNSAFE_SIGN)
      expect(csvCell(text)).not.toMatch(UNSAFE_SIGN)
      expect(csvCell(text)).not.toMatch(/^"?\s*[=+@]/)
    }
  })

  it('as lines has no line begun by its content', () => {
    for (const text of hostile) {
      const [first, ...rest] = safeLines([`${text}end`])
        .replace(/\n$/, '')
        .split('\n')
      expect(`${first}${rest.join('')}`).not.toMatch(/[^\P{Cc}\t]|[\p{Zl}\p{Zp}\p{Bidi_Control}]/u)
      for (const line of rest) expect(line).toMatch(/^ {4}/)
    }
    expect(safeLines(['a:\n  b\r\nc', 'd'])).toBe('a:\n    b\n    c\nd\n')
  })

  it('as JSON is equal when parsed', () => {
    for (const text of hostile) {
      const value = { [text]: [text, { text }] }
      expect(safeJson(value)).not.toMatch(UNSAFE_SIGN)
      expect(JSON.parse(safeJson(value))).toEqual(JSON.parse(JSON.stringify(value)))
      expect(safeText(safeJson(value, 2))).toBe(safeJson(value, 2))
      expect(escapedJson(JSON.stringify(value))).toBe(safeJson(value))
    }
  })
})

describe('a CSV cell', () => {
  it.each([
    ['plain', 'plain'],
    ['', ''],
    ['a,b', '"a,b"'],
    ['say "so"', '"say ""so"""'],
    ['two\nlines\tand\ra tab', 'two lines and a tab'],
  ])('%j is written as %j', (text, cell) => {
    expect(csvCell(text)).toBe(cell)
  })

  it.each(['=1+1', '+1+1', '@SUM(A1)', '-1+1', '  =cmd|calc', '-abc', '--1'])(
    'of %j is no formula in a spreadsheet',
    (text) => {
      expect(csvCell(text)).toBe(`'${text}`)
    },
  )

  it.each([
    ['a;=1+1', "a;'=1+1"],
    ['a;  "@x";+2', 'a;\'  "@x";\'+2'],
    ['\t=1+1', "' =1+1"],
    ['＝1+1', "'＝1+1"],
    [' ＠SUM', "' ＠SUM"],
    ["'=1", "''=1"],
    ['a;b', 'a;b'],
  ])('of %j is no formula after a separator of spreadsheets or in full width', (text, defused) => {
    const plain = csvCell(text)
    expect(plain.startsWith('"') ? plain.slice(1, -1).replaceAll('""', '"') : plain).toBe(defused)
  })

  it.each(['-1', '-0.25', '1e-7', '-1.5e-07', '-', '=', '5-3'])('of %j stays as it is', (text) => {
    expect(csvCell(text)).toBe(text)
  })

  it('is the same text for a reader of the table', () => {
    const texts = ['a "quoted", text', 'comma, and "', 'plain', '""', ',']
    expect(parse(texts.map(csvCell).join(','))).toEqual([texts])
  })
})
