import { parse } from 'csv-parse/sync'
import { describe, expect, it } from 'vitest'
import { csvCell } from '../../src/core/csv.js'

describe('a cell', () => {
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

  it.each(['-1', '-0.25', '1e-7', '-1.5e-07', '-', '=', '5-3'])('of %j stays as it is', (text) => {
    expect(csvCell(text)).toBe(text)
  })

  it('is the text again for whoever reads the table', () => {
    const texts = ['a "quoted", text', 'comma, and "', 'plain', '""', ',']
    expect(parse(texts.map(csvCell).join(','))).toEqual([texts])
  })
})
