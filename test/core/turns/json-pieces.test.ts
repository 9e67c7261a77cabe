import { describe, expect, it } from 'vitest'
import { jsonPieces } from '../../../src/core/turns/json-pieces.js'

/** The texts of the pieces, without the pauses. */
function piecesOf(text: string, slice = 1000): string[] {
  return [...jsonPieces(text, slice)].flatMap((piece) => (piece ? [text.slice(piece.from, piece.to)] : []))
}

describe('the pieces of a list or an object', () => {
  it.each([
    ['one piece while they fit', '[1, 2, 3]', 1000, ['1, 2, 3']],
    ['each alone where two do not fit', '[11,22,33]', 4, ['11', '22', '33']],
    ['a large one alone, small ones together', '[1,2,"xxxxxxxx",3,4]', 5, ['1,2', '"xxxxxxxx"', '3,4']],
    ['none of an empty list', '  [ ]  ', 1000, []],
    ['none of an empty object', '{}', 1000, []],
    ['commas and brackets in texts are text', '["a,b]", "c\\",\\""]', 3, ['"a,b]"', ' "c\\",\\""']],
    ['commas further in are of one member', '[[1,2],{"a":3,"b":4}]', 3, ['[1,2]', '{"a":3,"b":4}']],
    ['members of an object', '{"a":1,"b":[2,3]}', 3, ['"a":1', '"b":[2,3]']],
  ])('%s', (_, text, slice, expected) => {
    expect(piecesOf(text, slice)).toEqual(expected)
  })

  it('together are all members, each counted once', () => {
    const text = JSON.stringify(Array.from({ length: 500 }, (_, index) => 'x'.repeat(index % 40)))
    const pieces = [...jsonPieces(text, 64)].filter((piece) => piece !== null)
    expect(pieces.reduce((sum, { members }) => sum + members, 0)).toBe(500)
    for (const { from, to, members } of pieces) expect(members === 1 || to - from <= 64).toBe(true)
    expect(pieces.flatMap(({ from, to }) => JSON.parse(`[${text.slice(from, to)}]`))).toEqual(JSON.parse(text))
  })

  it('know where the colon of their first member is, whatever colons its texts hold', () => {
    const text = '{"a:b" : {"c": 1}, "d": 2}'
    const [first, second] = [...jsonPieces(text, 3)].filter((piece) => piece !== null)
    expect(first?.colon).toBe(text.indexOf(' : ') + 1)
    expect(second?.colon).toBe(text.lastIndexOf(':'))
    const [plain] = jsonPieces('["a:b"]', 100)
    expect(plain?.colon).toBe(-1)
  })

  it('pause within one long member', () => {
    const pauses = [...jsonPieces(`["${'x'.repeat(1000)}"]`, 100)].filter((piece) => piece === null)
    expect(pauses.length).toBeGreaterThanOrEqual(9)
  })
})

describe('no list or object', () => {
  it.each([
    ['that ends too early', '[1, [2]', /ends before its brackets/],
    ['that ends in a text', '["a]', /ends before its brackets/],
    ['closed by the other bracket', '[1}', /does not end as it began/],
    ['with something behind it', '[1] 2', /does not end as it began/],
    ['with a comma at the end', '[1,]', /nothing beside it/],
    ['with a comma at the start', '[,1]', /nothing beside it/],
    ['of a comma alone', '{,}', /nothing beside it/],
  ])('%s', (_, text, message) => {
    expect(() => piecesOf(text)).toThrow(SyntaxError)
    expect(() => piecesOf(text)).toThrow(message)
  })
})
