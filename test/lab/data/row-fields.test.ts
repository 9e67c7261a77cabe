import { describe, expect, it } from 'vitest'
import { labeledRow, rowOf, statedIn } from '../../../src/lab/data/row-fields.js'

describe('the label of a row', () => {
  const fakeOf = (label: unknown) => rowOf({ text: 'x', label }, '/', 'row 1').fake

  it.each(['fake', 'Machine', 'AI', 'generated', 'SYNTHETIC', 'spoof', '1', '1.0', 1, true, 'true', ' fake '])(
    '%j is fake',
    (label) => {
      expect(fakeOf(label)).toBe(true)
    },
  )

  it.each(['real', 'Human', 'genuine', 'bonafide', 'authentic', '0', '0.0', 0, false, 'false', '\treal\n'])(
    '%j is real',
    (label) => {
      expect(fakeOf(label)).toBe(false)
    },
  )

  it.each(['', '2', -1, 'not fake', 'unknown', null, undefined, ['fake'], { label: 'fake' }])(
    '%j is neither',
    (label) => {
      expect(() => fakeOf(label)).toThrow(expect.objectContaining({ reason: 'lab-data-invalid' }))
    },
  )
})

describe('the fields of a row', () => {
  it('have alternative names; the main name overrides them, in any order', () => {
    const before = rowOf({ file: 'a.jpg', path: 'b.jpg', label: 'real', made: 'fake' }, '/media', 'row 1')
    const behind = rowOf({ path: 'b.jpg', file: 'a.jpg', made: 'fake', label: 'real' }, '/media', 'row 1')
    for (const row of [before, behind])
      expect(row).toMatchObject({ id: 'b.jpg', fake: false, content: { file: '/media/b.jpg' } })
    expect(rowOf({ File_Name: 'c.jpg', LABELS: 'fake', Model: 'gan', Source: 'web' }, '/media', '')).toMatchObject({
      id: 'c.jpg',
      fake: true,
      columns: { generator: 'gan', source: 'web' },
    })
  })

  it('that are not plain values are ignored', () => {
    const row = rowOf(
      { text: 'x', label: 'real', tags: ['a'], more: { a: 1 }, none: null, year: 2026, ok: true },
      '/',
      '',
    )
    expect(row.columns).toEqual({ year: '2026', ok: 'true' })
  })

  it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])('may be named %s', (name) => {
    const row = rowOf(JSON.parse(`{"text":"x","label":"real","${name}":"a"}`), '/', '')
    expect(Object.entries(row.columns)).toEqual([[name, 'a']])
    expect(statedIn(row, name)).toBe('a')
    expect(statedIn({ columns: {} }, name)).toBeNull()
  })

  it('name the row by its path, its id, or its position', () => {
    const text = { text: 'x', label: 'real' }
    expect(rowOf(text, '/', 'a.csv row 7').id).toBe('a.csv row 7')
    expect(rowOf({ ...text, id: 9 }, '/', 'a.csv row 7').id).toBe('9')
    expect(rowOf({ ...text, id: 9, path: 'p' }, '/', '').id).toBe('p')
  })

  it('with an empty path describe a text; with both, the file', () => {
    expect(rowOf({ path: '', text: 'x', label: 'real' }, '/', '').content).toEqual({ text: 'x' })
    expect(rowOf({ path: 'a', text: 'x', label: 'real' }, '/', '').content).toEqual({ file: '/a' })
    expect(() => rowOf({ path: '', label: 'real' }, '/', 'row 3')).toThrow('row 3: path is empty')
    expect(() => rowOf({ image: 'a.png', label: 'real' }, '/', 'row 3')).toThrow(
      'row 3: there is no column path or text, but image, label',
    )
  })

  it.each([
    ['', null],
    ['image', 'image'],
    ['video_long', 'video_long'],
  ])('state the media type %j as %j', (mediaType, expected) => {
    expect(labeledRow({ label: 'real', mediaType }, { text: '' }, '').mediaType).toBe(expected)
    expect(labeledRow({ label: 'real', media_type: mediaType }, { text: '' }, '').mediaType).toBe(expected)
  })

  it.each(['..', '../a', 'a/../../b', '/etc/passwd', '.', './', '..a/../../x'])(
    'with the path %j lead outside',
    (file) => {
      expect(() => rowOf({ path: file, label: 'real' }, '/media/set', 'row 1')).toThrow(
        /does not lie below \/media\/set/,
      )
    },
  )

  it.each([
    ['a', '/media/set/a'],
    ['./a/../b', '/media/set/b'],
    ['a..b/c', '/media/set/a..b/c'],
    ['..b/c', '/media/set/..b/c'],
    ['/media/set/a', '/media/set/a'],
  ])('with the path %j stay inside', (file, absolute) => {
    expect(rowOf({ path: file, label: 'real' }, '/media/set', 'row 1').content).toEqual({ file: absolute })
  })
})
