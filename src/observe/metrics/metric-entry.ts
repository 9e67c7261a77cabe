import type { Settings } from '../../config/settings.js'

/** What a daemon does; it exports no series of what it does not do. */
export type Role = Settings['roles'][number]

/**
 * One metric: its Prometheus name with the unit, its labels, and a help text that states what a bad value looks like. With
 * buckets it is a histogram, with a name in `_total` a counter, else a gauge.
 */
export interface MetricEntry {
  readonly name: string
  /** Absent: one series without labels. */
  readonly labels?: readonly string[]
  readonly help: string
  /** Upper bounds of a histogram's buckets, in the unit of the name. */
  readonly buckets?: readonly number[]
  /** Label sets that stand at 0 from the start: Prometheus sees no increase in a series that begins with 1. */
  readonly zeros?: readonly Readonly<Record<string, string>>[]
}

/** Metrics by the names that the code uses. */
export type MetricTable = Readonly<Record<string, MetricEntry>>

/** From one small image to a long video, seconds. */
export const WORK_SECONDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300]
