import { median } from '../../core/arrays.js'
import type { Clock } from '../../core/clock.js'
import { asRisk } from '../../core/risk.js'
import type { FleetState } from '../../fleet/fleet-state.js'
import type { ByQueue, History, HistoryPoint } from '../../fleet/history.js'
import type { RecentRow } from '../../fleet/recent-rows.js'
import type { Fleet } from './fleet.js'

/** @returns writes down what the fleet does, one point a call; a queue that is away leaves a gap */
export function historySampler(
  fleet: Pick<Fleet, 'records' | 'state'>,
  clock: Pick<Clock, 'now'>,
  history: History,
): () => Promise<void> {
  /** Rows that were there at the last reading; null before the first. */
  let known: ReadonlySet<string> | null = null
  /** By what they are and not by when: the clocks of machines differ. */
  const freshOf = (rows: readonly RecentRow[]) => {
    const before = known
    known = new Set(rows.map(keyOf))
    return before === null ? [] : rows.filter((row) => !before.has(keyOf(row)))
  }
  return async () => {
    const reading = Promise.all([fleet.state(), fleet.records()])
    const [state, rows] = await reading.catch(() => [null, null] as const)
    history.add(pointOf(state, rows ? freshOf(rows) : [], clock.now()))
  }
}

const keyOf = ({ assetId, at, outcome }: RecentRow): string => `${at} ${outcome} ${assetId}`

/** @param state null where the queue did not answer @param fresh what became of assets since the point before */
export function pointOf(state: FleetState | null, fresh: readonly RecentRow[], at: number): HistoryPoint {
  const opened = fresh.flatMap(({ openToRecordMs }) => (openToRecordMs === null ? [] : [openToRecordMs]))
  const verdicts = fresh.filter(({ outcome }) => outcome === 'verdict')
  const abstained = fresh.filter(({ outcome }) => outcome === 'abstained').length
  const analyzed = verdicts.length + abstained
  return {
    at,
    perSecond: state && paceOf(state),
    waiting: state && waitingOf(state),
    openToRecordMs: opened.length === 0 ? null : { median: median(opened), longest: Math.max(...opened) },
    abstained: analyzed === 0 ? null : abstained / analyzed,
    risks: risksOf(verdicts),
  }
}

function paceOf({ daemons }: FleetState): ByQueue {
  const sum = (queue: keyof ByQueue) => daemons.reduce((all, { jobsPerSecond }) => all + (jobsPerSecond[queue] ?? 0), 0)
  return { analyze: sum('analyze'), submit: sum('submit') }
}

function waitingOf({ backlog }: FleetState): ByQueue {
  const sum = (stage: keyof ByQueue) =>
    backlog.rows.filter(({ queue }) => queue.startsWith(stage)).reduce((all, { waiting }) => all + waiting, 0)
  return { analyze: sum('analyze'), submit: sum('submit') }
}

function risksOf(verdicts: readonly RecentRow[]): HistoryPoint['risks'] {
  const byDetector = new Map<string, number[]>()
  for (const { algorithm, risk } of verdicts) {
    if (algorithm !== null && risk !== null) byDetector.set(algorithm, [...(byDetector.get(algorithm) ?? []), risk])
  }
  return Object.fromEntries([...byDetector].map(([detector, risks]) => [detector, asRisk(median(risks))]))
}
