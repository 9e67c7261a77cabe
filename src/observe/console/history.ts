import { z } from 'zod'
import { percentOf, type Risk } from '../../core/risk.js'

/** A point of the history stands for so long, ms. */
export const HISTORY_EVERY_MS = 10_000
/** Points that are kept: an hour. */
export const MAX_POINTS = 360

/** One number for each queue. */
export interface ByQueue {
  readonly analyze: number
  readonly submit: number
}

/** What the fleet did in one span of `HISTORY_EVERY_MS`. Null is what could not be read, or what there was none of. */
export interface HistoryPoint {
  /** End of the span, local Unix ms. */
  readonly at: number
  /** Jobs that ended in the last minute, a second. */
  readonly perSecond: ByQueue | null
  readonly waiting: ByQueue | null
  /** Of the scores that went on record, ms. */
  readonly openToRecordMs: { readonly median: number; readonly longest: number } | null
  /** Assets without a score among those that were analyzed, 0 to 1. */
  readonly abstained: number | null
  /** Median of the verdicts by detector id and version. */
  readonly risks: Readonly<Record<string, Risk>>
}

/** The last hour, kept in memory: it begins with the start of the daemon. */
export class History {
  #points: readonly HistoryPoint[] = []

  /** Oldest first. */
  get points(): readonly HistoryPoint[] {
    return this.#points
  }

  add(point: HistoryPoint): void {
    this.#points = [...this.#points, point].slice(-MAX_POINTS)
  }
}

const series = z.strictObject({ name: z.string(), values: z.array(z.number().nullable()) })
const plot = z.strictObject({
  id: z.enum(['pace', 'open-to-accepted', 'waiting', 'abstained', 'risks']),
  title: z.string(),
  unit: z.string(),
  series: z.array(series),
})

/** What `/history` answers: columns to plot, each with a value for every time in `at` (Unix ms). */
export const historyDocument = z
  .strictObject({ everyMs: z.number(), at: z.array(z.number()), plots: z.array(plot) })
  .refine(({ at, plots }) => plots.every(({ series }) => series.every(({ values }) => values.length === at.length)), {
    message: 'a series must have a value for every time',
  })
/** See `historyDocument`; null is a gap. */
export type HistoryDocument = z.infer<typeof historyDocument>

/** The history as columns. @throws ZodError where a point is malformed */
export function documentOf(points: readonly HistoryPoint[]): HistoryDocument {
  const column = (name: string, read: (point: HistoryPoint) => number | null | undefined) => ({
    name,
    values: points.map((point) => shortNumber(read(point) ?? null)),
  })
  const detectors = [...new Set(points.flatMap(({ risks }) => Object.keys(risks)))].toSorted()
  return historyDocument.parse({
    everyMs: HISTORY_EVERY_MS,
    at: points.map(({ at }) => at),
    plots: [
      {
        id: 'pace',
        title: 'Throughput (1-minute average)',
        unit: 'jobs/s',
        series: [
          column('analyze', ({ perSecond }) => perSecond?.analyze),
          column('submit', ({ perSecond }) => perSecond?.submit),
        ],
      },
      {
        id: 'open-to-accepted',
        title: 'Open to accepted',
        unit: 's',
        series: [
          column('median', ({ openToRecordMs }) => openToRecordMs && openToRecordMs.median / 1000),
          column('longest', ({ openToRecordMs }) => openToRecordMs && openToRecordMs.longest / 1000),
        ],
      },
      {
        id: 'waiting',
        title: 'Waiting',
        unit: 'jobs',
        series: [
          column('analyze', ({ waiting }) => waiting?.analyze),
          column('submit', ({ waiting }) => waiting?.submit),
        ],
      },
      {
        id: 'abstained',
        title: 'Abstention rate',
        unit: '%',
        series: [column('abstained', ({ abstained }) => abstained && abstained * 100)],
      },
      {
        id: 'risks',
        title: 'Median risk by detector',
        unit: '%',
        series: detectors.map((id) =>
          column(id, ({ risks }) => (risks[id] === undefined ? null : percentOf(risks[id]))),
        ),
      },
    ],
  })
}

/** As many digits as a small plot can show. */
function shortNumber(value: number | null): number | null {
  return value === null ? null : Number(value.toFixed(2))
}
