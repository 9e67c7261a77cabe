import { describe, expect, it } from 'vitest'
import { riskOfPercent } from '../../../src/core/risk.js'
import { HISTORY_EVERY_MS, type HistoryPoint } from '../../../src/fleet/history.js'
import { documentOf } from '../../../src/observe/console/history-document.js'
import { EMPTY, FULL } from './history-points.js'

const series = (points: readonly HistoryPoint[], id: string) =>
  Object.fromEntries(
    documentOf(points)
      .plots.find((plot) => plot.id === id)
      ?.series.map(({ name, values }) => [name, values]) ?? [],
  )

describe('documentOf', () => {
  it('contains jobs per second, jobs, seconds and percent', () => {
    expect(series([FULL], 'pace')).toEqual({ analyze: [1.23], submit: [0] })
    expect(series([FULL], 'waiting')).toEqual({ analyze: [12], submit: [3] })
    expect(series([FULL], 'open-to-accepted')).toEqual({ median: [4.26], longest: [61] })
    expect(series([FULL], 'abstained')).toEqual({ abstained: [12.5] })
    expect(series([FULL], 'risks')).toEqual({ 'image@1': [40.13] })
  })

  it('leaves a gap where nothing was read, which is not a zero', () => {
    expect(series([EMPTY, FULL], 'waiting')).toEqual({ analyze: [null, 12], submit: [null, 3] })
    expect(series([{ ...FULL, abstained: 0 }, EMPTY], 'abstained')).toEqual({ abstained: [0, null] })
    const zero = { ...FULL, openToRecordMs: { median: 0, longest: 0 } }
    expect(series([zero, EMPTY], 'open-to-accepted')).toEqual({ median: [0, null], longest: [0, null] })
  })

  it('has a column for each detector of the hour, by name, with gaps where it scored nothing', () => {
    const other = { ...FULL, risks: { 'b@1': riskOfPercent(0), 'a@1': riskOfPercent(100) } }
    expect(Object.entries(series([FULL, other], 'risks'))).toEqual([
      ['a@1', [null, 100]],
      ['b@1', [null, 0]],
      ['image@1', [40.13, null]],
    ])
  })

  it('is empty before the first point, and states its times', () => {
    expect(documentOf([]).at).toEqual([])
    expect(documentOf([EMPTY, FULL])).toMatchObject({ at: [0, 10_000], everyMs: HISTORY_EVERY_MS })
    expect(documentOf([]).plots.map(({ id }) => id)).toEqual([
      'pace',
      'open-to-accepted',
      'waiting',
      'abstained',
      'risks',
    ])
  })
})
