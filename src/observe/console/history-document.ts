import { percentOf } from '../../core/risk.js'
import { HISTORY_EVERY_MS, type HistoryPoint } from '../../fleet/history.js'

/** What `/history` answers: the history as columns to plot, each with a value for every time in `at` (Unix ms); null is a gap. */
export type HistoryDocument = ReturnType<typeof documentOf>

export function documentOf(points: readonly HistoryPoint[]) {
  const column = (name: string, read: (point: HistoryPoint) => number | null | undefined) => ({
    name,
    values: points.map((point) => shortNumber(read(point) ?? null)),
  })
  const byQueue = (of: 'perSecond' | 'waiting') =>
    (['analyze', 'submit'] as const).map((queue) => column(queue, (point) => point[of]?.[queue]))
  const seconds = (name: 'median' | 'longest') =>
    column(name, ({ openToRecordMs }) => openToRecordMs && openToRecordMs[name] / 1000)
  const abstained = column('abstained', ({ abstained }) => abstained && abstained * 100)
  const detectors = [...new Set(points.flatMap(({ risks }) => Object.keys(risks)))].toSorted()
  const risks = detectors.map((id) =>
    column(id, ({ risks }) => (risks[id] === undefined ? null : percentOf(risks[id]))),
  )
  return {
    everyMs: HISTORY_EVERY_MS,
    at: points.map(({ at }) => at),
    plots: [
      { id: 'pace', title: 'Throughput (1-minute average)', unit: 'jobs/s', series: byQueue('perSecond') },
      { id: 'open-to-accepted', title: 'Open to accepted', unit: 's', series: [seconds('median'), seconds('longest')] },
      { id: 'waiting', title: 'Waiting', unit: 'jobs', series: byQueue('waiting') },
      { id: 'abstained', title: 'Abstention rate', unit: '%', series: [abstained] },
      { id: 'risks', title: 'Median risk by detector', unit: '%', series: risks },
    ],
  }
}

/** As many digits as a small plot can show. */
const shortNumber = (value: number | null): number | null => (value === null ? null : Number(value.toFixed(2)))
