import { describe, expect, it } from 'vitest'
import { MAX_TEXT_CHARS, parseJsonInTurns, SLICE_CHARS } from '../../../src/core/turns/parse-json.js'
import { STEP_BYTES, TURN_BYTES, Turns } from '../../../src/core/turns/turns.js'

const parse = (text: string, maxEntries = 1_000_000) => parseJsonInTurns(text, { maxEntries })
const many = <T>(count: number, make: (at: number) => T) => Array.from({ length: count }, (_, at) => make(at))
/** A list that is larger than a slice, of entries that are not. */
const LARGE = many(3_000, (at) => ({ id: `a${at}`, '"\\[{': [`]}"\\`, { ä: -1.5e3 }, null, true] }))

describe('gives what JSON.parse gives', () => {
  it.each<[string, unknown]>([
    ['a list', LARGE],
    ['an object of lists', { ids: LARGE, assets: LARGE, n: 1 }],
    ['lists four levels deep', { data: { of: { assets: LARGE } } }],
    ['an object of many members', Object.fromEntries(LARGE.map((value, at) => [`k${at}"\\,:`, value]))],
    ['a large entry between small ones', [1, LARGE, 2, {}, LARGE]],
    ['small things', ['', 0, null, {}, []]],
    ['an empty list', []],
  ])('for %s', async (_, value) => {
    for (const text of [JSON.stringify(value), ` ${JSON.stringify(value, null, 2).replaceAll('\n', '\r\n\t')}\n`]) {
      expect(await parse(text)).toEqual(JSON.parse(text))
    }
  })

  it('for lists and objects of white space alone', async () => {
    const space = ' '.repeat(SLICE_CHARS)
    expect(await parse(`[${space}]`)).toEqual([])
    expect(await parse(`{${space}}`)).toEqual({})
  })

  it('for names that mean something to JavaScript, and names given twice', async () => {
    const text = `{"__proto__": ${JSON.stringify(LARGE)}, "a": 1, "constructor": 2, "a": 3}`
    const value = (await parse(text)) as Record<string, unknown>
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
    expect(Object.entries(value)).toEqual(Object.entries(JSON.parse(text)))
  })
})

describe('refuses what JSON.parse refuses', () => {
  const list = JSON.stringify(LARGE)
  it.each([
    ['an open list', list.slice(0, -1)],
    ['an open text', `${list.slice(0, -1)},"`],
    ['another bracket at the end', `${list.slice(0, -1)}}`],
    ['a second value', `${list}${list}`],
    ['a comma too many', `${list.slice(0, -1)},]`],
    ['a comma at the start', `[,${list.slice(1)}`],
    ['two commas', `[1,,${list.slice(1)}`],
    ['a member without a name', `{"a": 1, ${list}}`],
    ['a name that is no text', `{a: ${list}}`],
    ['two values of a name', `{"a": 1 2, "b": ${list}}`],
    ['wrong brackets inside', `[{"a": [}], ${list.slice(1)}`],
    ['white space alone', ' '.repeat(2 * SLICE_CHARS)],
  ])('%s', async (_, text) => {
    expect(() => JSON.parse(text)).toThrow(SyntaxError)
    await expect(parse(text)).rejects.toThrow(SyntaxError)
  })
})

describe('limits', () => {
  it('a list and an object to so many entries', async () => {
    const ids = JSON.stringify({ ids: many(20_000, (at) => `a${at}`) })
    await expect(parse(ids, 20_000)).resolves.toEqual(JSON.parse(ids))
    await expect(parse(ids, 19_999)).rejects.toThrow(RangeError)
    const members = JSON.stringify(Object.fromEntries(many(20_000, (at) => [`a${at}`, at])))
    await expect(parse(members, 19_999)).rejects.toThrow(RangeError)
  })

  it('a long text, and a large list far down, to null', async () => {
    const deep = [[[[LARGE]]]]
    const value = [{ title: 'x'.repeat(MAX_TEXT_CHARS), id: 'a' }, { id: 'b' }, { deep }]
    expect(await parse(JSON.stringify(value))).toEqual([{ title: null, id: 'a' }, { id: 'b' }, { deep: [[null]] }])
    expect(await parse(JSON.stringify('x'.repeat(MAX_TEXT_CHARS)))).toBeNull()
    const text = 'x"'.repeat(SLICE_CHARS)
    expect(await parse(JSON.stringify({ text, more: LARGE }))).toEqual({ text, more: LARGE })
  })

  it('what is gone through in one turn, whatever the text', async () => {
    const texts = [
      JSON.stringify({ assets: LARGE, ids: many(50_000, (at) => at) }),
      '[1,'.repeat(100_000),
      `["${'x\\"'.repeat(800_000)}"]`,
      `[${' '.repeat(1_000_000)}]`,
      '['.repeat(1_000_000),
    ]
    for (const text of texts) {
      const turns = countedTurns()
      await parseJsonInTurns(text, { maxEntries: 1_000_000, turns }).catch(() => {})
      expect(turns.steps).toBeGreaterThanOrEqual(text.length / SLICE_CHARS - 1)
      expect(turns.most).toBeLessThan(TURN_BYTES + SLICE_CHARS + STEP_BYTES)
    }
  })
})

/** Turns that keep what was done in the fullest of them. */
function countedTurns() {
  let bytes = 0
  const counted = new (class extends Turns {
    most = 0
    steps = 0
    override step(of = 0): Promise<void> {
      this.steps++
      bytes += of + STEP_BYTES
      this.most = Math.max(this.most, bytes)
      return super.step(of)
    }
  })(async () => {
    bytes = 0
  })
  return counted
}
