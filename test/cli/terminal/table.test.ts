import { describe, expect, it } from 'vitest'
import { progressBar } from '../../../src/cli/terminal/progress.js'
import { type Column, table as tableOf } from '../../../src/cli/terminal/table.js'
import { UNSAFE_SIGN } from '../../support/hostile-texts.js'

/** A table of rows whose cells stand in the order of the columns. */
const table = (columns: readonly Omit<Column<string[]>, 'of'>[], rows: string[][], width?: number) =>
  tableOf(
    rows,
    columns.map((column, index) => ({ ...column, of: (row) => row[index] ?? '' })),
    width,
  )

describe('a table', () => {
  it('has columns as wide as their widest cell, numbers to the right, no trailing spaces', () => {
    const columns = [{ title: 'name' }, { title: 'n', right: true }, { title: 'text' }]
    expect(
      table(columns, [
        ['a', '1', ''],
        ['longer', '100', 'x'],
      ]).split('\n'),
    ).toEqual(['name      n  text', '──────  ───  ────', 'a         1', 'longer  100  x'])
  })

  it('without rows has its header', () => {
    expect(table([{ title: 'a' }, { title: 'bb' }], [])).toBe('a  bb\n─  ──')
  })

  it('may have more rows than a call accepts arguments', () => {
    const rows = Array.from({ length: 200_000 }, (_, nth) => [String(nth)])
    expect(
      table([{ title: 'n', right: true }], rows)
        .split('\n')
        .at(-1),
    ).toBe('199999')
  })

  it.each([
    ['x'.repeat(10), 10, 'x'.repeat(10)],
    ['x'.repeat(11), 10, `${'x'.repeat(9)}…`],
    ['x'.repeat(60), undefined, 'x'.repeat(60)],
    ['x'.repeat(61), undefined, `${'x'.repeat(59)}…`],
  ])('cuts %s at %s', (cell, max, shown) => {
    expect(table([{ title: 'a', ...(max ? { max } : {}) }], [[cell]]).split('\n')[2]).toBe(shown)
  })

  it('lets no cell control the terminal or begin a line', () => {
    const made = table([{ title: 'a' }], [['\u001b[31mred\nnext\u202e']])
    expect(made.split('\n')).toHaveLength(3)
    expect(made.replaceAll('\n', '')).not.toMatch(UNSAFE_SIGN)
  })
})

describe('progress', () => {
  function shown(isTTY: boolean, of: number, dones = Array.from({ length: of }, (_, nth) => nth + 1)): string[] {
    const written: string[] = []
    const out = { isTTY, write: (text: string) => void written.push(text) } as unknown as NodeJS.WriteStream
    const show = progressBar(out, 'rows')
    for (const done of dones) show(done, of)
    return written
  }

  it('on a terminal is one line that fills up, and ends', () => {
    const lines = shown(true, 4)
    expect(lines).toHaveLength(4)
    expect(lines.every((line) => line.startsWith('\r'))).toBe(true)
    expect(lines[1]).toBe(`\r  ${'█'.repeat(15)}${'░'.repeat(15)} 2/4 rows`)
    expect(lines.filter((line) => line.endsWith('\n'))).toEqual([`\r  ${'█'.repeat(30)} 4/4 rows\n`])
  })

  it.each([
    [1000, 10],
    [25, 9],
    [10, 10],
    [3, 3],
    [1, 1],
  ])('in a log of %i rows is %i lines, the last of them for all rows', (of, count) => {
    const lines = shown(false, of)
    expect(lines).toHaveLength(count)
    expect(lines.at(-1)).toContain(`${of}/${of} rows`)
    expect(lines.every((line) => line.endsWith('\n'))).toBe(true)
  })

  it('is not printed twice for the same count', () => {
    expect(shown(true, 3, [1, 1, 2, 2, 3])).toHaveLength(3)
  })
})

describe('a table on a narrow terminal', () => {
  const columns = [
    { title: 'id', min: 6 },
    { title: 'state' },
    { title: 'version', drop: 1 },
    { title: 'digest', drop: 2 },
    { title: 'notes', min: 10 },
  ]
  const rows = [['attestd-image', 'ready', '1.2.3', 'abcdef012345', 'x'.repeat(50)]]

  it.each([60, 80, 100, 200])('of %i columns fits', (width) => {
    for (const line of table(columns, rows, width).split('\n').slice(0, 3))
      expect(line.length).toBeLessThanOrEqual(width)
  })

  it('names the columns left out, those with the highest number first', () => {
    expect(table(columns, rows, 44).split('\n').at(-1)).toBe('Left out at 44 columns: digest (--json has all).')
    expect(table(columns, rows, 32).split('\n').at(-1)).toBe(
      'Left out at 32 columns: version, digest (--json has all).',
    )
  })

  it('cuts the widest cells first, and leaves nothing out where that is enough', () => {
    const [, , line] = table(columns, rows, 80).split('\n')
    expect(line).toContain('attestd-image  ready  1.2.3    abcdef012345  ')
    expect(line).toMatch(/x…$/)
    expect(table(columns, rows, 200)).not.toContain('Left out')
  })
})
