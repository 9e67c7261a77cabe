import { describe, expect, it } from 'vitest'
import { selectRows } from '../../../src/lab/data/select-rows.js'
import { dataRow } from '../../support/scored-rows.js'

describe('a limit of rows', () => {
  const rows = Array.from({ length: 10 }, (_, nth) => ({ ...dataRow(`r${nth}`, nth < 3), mediaType: null }))

  it.each([
    [10, 3, 7],
    [9, 3, 6],
    [2, 1, 1],
    [1, 0, 1],
    [0, 0, 0],
  ])('of %i takes %i fakes and %i reals of three and seven', (limit, fakes, reals) => {
    const { rows: kept } = selectRows(rows, ['text'], limit)
    expect([kept.filter(({ fake }) => fake).length, kept.filter(({ fake }) => !fake).length]).toEqual([fakes, reals])
  })

  it('keeps the order, and includes the rows of a smaller limit in those of a larger one, in any order', () => {
    const ids = (limit: number) => selectRows(rows, ['text'], limit).rows.map(({ id }) => id)
    expect(ids(6)).toEqual(ids(6).toSorted())
    for (const id of ids(4)) expect(ids(8)).toContain(id)
    const reversed = selectRows(rows.toReversed(), ['text'], 6).rows.map(({ id }) => id)
    expect(reversed.toSorted()).toEqual(ids(6))
  })

  it('counts rows that the package scores, of any of its types', () => {
    const typed = rows.map((row, nth) => ({ ...row, mediaType: nth === 9 ? ('audio' as const) : row.mediaType }))
    expect(selectRows(typed, ['image', 'audio'], null)).toMatchObject({ otherMedia: 0 })
    expect(
      selectRows(typed, ['image', 'audio'], null)
        .rows.map(({ mediaType }) => mediaType)
        .at(-1),
    ).toBe('audio')
    expect(selectRows(typed, ['image', 'audio'], null).rows[0]?.mediaType).toBe('image')
    expect(selectRows(typed, ['text'], 9)).toMatchObject({ otherMedia: 1, rows: { length: 9 } })
  })
})
