import type { Settings } from '../../config/settings.js'

/** What a daemon does; it exports no series of what it does not do. */
export type Role = Settings['roles'][number]

/** One metric: its Prometheus name with the unit, its labels, and a help text that states what a bad value looks like. */
export interface MetricEntry {
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly labels: readonly string[]
  readonly help: string
  /** Upper bounds of a histogram's buckets, in the unit of the name. */
  readonly buckets?: readonly number[]
  /** One of these roles must be held for it to be exported. Absent: every daemon does. */
  readonly roles?: readonly Role[]
  /** Every daemon states the same, of all of them or of their queue: whoever adds such values up counts twice. */
  readonly shared?: true
  /** Label sets that stand at 0 from the start: Prometheus sees no increase in a series that begins with 1. */
  readonly zeros?: readonly Readonly<Record<string, string>>[]
}
