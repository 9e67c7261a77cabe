import { z } from 'zod'
import { readFileIfPresent, writeFileAtomic } from '../core/files.js'
import { storedRisk } from '../core/risk.js'
import { readJson } from '../core/text.js'
import { type RecentRow, storedRow, storeRow } from './recent-rows.js'

/** A point of the history stands for so long, ms. */
export const HISTORY_EVERY_MS = 10_000
/** Points that are kept: an hour. */
export const MAX_POINTS = 360

const byQueue = z.object({ analyze: z.number(), submit: z.number() })
export type ByQueue = z.infer<typeof byQueue>

const historyPoint = z.object({
  /** End of the span, local Unix ms. */
  at: z.number(),
  /** Jobs that ended in the last minute, a second. */
  perSecond: byQueue.nullable(),
  waiting: byQueue.nullable(),
  /** Of the scores that went on record, ms. */
  openToRecordMs: z.object({ median: z.number(), longest: z.number() }).nullable(),
  /** Assets without a score among those that were analyzed, 0 to 1. */
  abstained: z.number().nullable(),
  /** Median of the verdicts by detector id and version. */
  risks: z.record(z.string(), storedRisk),
})
/** What the fleet did in one span of `HISTORY_EVERY_MS`. Null is what could not be read, or what there was none of. */
export type HistoryPoint = z.infer<typeof historyPoint>

const keptHistory = z.object({ points: z.array(historyPoint), rows: z.array(storedRow) })

/** The last hour of the fleet. */
export class History {
  #points: readonly HistoryPoint[] = []

  /** Oldest first. */
  get points(): readonly HistoryPoint[] {
    return this.#points
  }

  add(point: HistoryPoint): void {
    this.#points = [...this.#points, point].slice(-MAX_POINTS)
  }

  /** Writes the points, with the last rows of this daemon, for its next run. Rejects where the file cannot be written. */
  async keep(file: string, rows: readonly RecentRow[]): Promise<void> {
    const points = z.encode(keptHistory.shape.points, [...this.#points])
    await writeFileAtomic(file, JSON.stringify({ points, rows: rows.map(storeRow) }))
  }

  /**
   * Takes up the points of the last hour that the run before kept.
   * @param now local Unix ms
   * @returns its rows, newest first; none where there is no file, or none that can be read
   */
  async restore(file: string, now: number): Promise<RecentRow[]> {
    const content = await readFileIfPresent(file).catch(() => null)
    const { points, rows } = readJson(keptHistory, content?.toString('utf8') ?? '') ?? { points: [], rows: [] }
    const fresh = points.filter(({ at }) => at <= now && now - at < MAX_POINTS * HISTORY_EVERY_MS)
    this.#points = [...fresh, ...this.#points].slice(-MAX_POINTS)
    return rows
  }
}
