import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Clock } from '../../core/clock.js'
import { SharedReading } from '../../core/shared-reading.js'
import { withinLimit } from '../../core/time-limit.js'
import { FLEET_METRICS } from './fleet-metric-table.js'
import type { MetricEntry, Role } from './metric-entry.js'
import { METRIC_GROUPS, type METRICS, type MetricKey } from './metric-table.js'

/** A metric keeps at most this many label combinations; later ones are counted under `other`. */
const MAX_SERIES = 300
/** A value that a scrape waits for longer than this is left out, or as it was, milliseconds. */
const SCRAPE_TIMEOUT_MS = 2000
const FLEET_KEYS = Object.keys(FLEET_METRICS) as (keyof typeof FLEET_METRICS)[]
/** Gauges of prom-client whose names state that they are counters; the same by type are exported without `_total`. */
const MISNAMED = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total']
const WEI_PER_ETHER = 1e18

type LabelsOf<Entry> = Entry extends { labels: readonly (infer Label extends string)[] }
  ? Readonly<Record<Label, string>>
  : Readonly<Record<never, string>>

type KindOf<Entry extends MetricEntry> = Entry extends { buckets: readonly number[] }
  ? 'histogram'
  : Entry['name'] extends `${string}_total`
    ? 'counter'
    : 'gauge'

interface Instruments<L> {
  readonly counter: {
    /** Adds `by`, 1 where it is not given. */
    inc(labels: L, by?: number): void
  }
  readonly gauge: {
    set(labels: L, value: number): void
    /** Ends all its series, for a set of labels that comes and goes. */
    clear(): void
  }
  readonly histogram: { observe(labels: L, value: number): void }
}

type Instrument<Entry extends MetricEntry> = Instruments<LabelsOf<Entry>>[KindOf<Entry>]
type MetricSet = { readonly [Key in MetricKey]: Instrument<(typeof METRICS)[Key]> }

/** The daemon's metrics: one typed field for each entry of the table, and the text for a scrape. */
export interface Metrics extends MetricSet {
  /** Sets the five stake gauges; the comparison is exact, the amounts are floats. */
  setStake(stake: { readonly stakedWei: bigint; readonly minStakeWei: bigint }): void
  /** Runs before each scrape, for values that are read and not counted. A failure is counted and costs nothing else. */
  beforeScrape(collect: () => void | Promise<void>): void
  text(): Promise<string>
  readonly contentType: string
}

/** How metrics are made; tests leave the process metrics out, the daemon never does. */
export interface MetricsOptions {
  /** Limits what a scrape waits for. */
  readonly clock: Pick<Clock, 'sleep'>
  /** Also prom-client's default ones: CPU, memory, event-loop lag, garbage collection. */
  readonly processMetrics: boolean
  /** What the daemon does; what belongs to other roles is taken and never exported. @default all */
  readonly roles?: readonly Role[]
}

/** Makes a set of metrics in its own registry, so that several daemons in one process do not share numbers. */
export function createMetrics({ clock, processMetrics, roles }: MetricsOptions): Metrics {
  const registry = new Registry()
  if (processMetrics) collectDefaultMetrics({ register: registry })
  for (const name of MISNAMED) registry.removeSingleMetric(name)
  const entries = METRIC_GROUPS.flatMap(({ metrics, roles: of }) => {
    const isExported = !roles || !of || of.some((role) => roles.includes(role))
    const registers = isExported ? [registry] : []
    return Object.entries(metrics).map(([key, entry]) => [key, instrument(entry, registers)] as const)
  })
  const set = Object.fromEntries(entries) as unknown as MetricSet
  const collectors: (() => void | Promise<void>)[] = []
  // Whoever reaches the port may scrape, and each scrape reads the queue: those at the same time share one.
  const scrapes = new SharedReading<string>()
  const scrape = async () => {
    // Read again by the collectors; what they cannot read, as while the queue is away, has no series.
    for (const key of FLEET_KEYS) set[key].clear()
    await Promise.all(collectors.map((collect) => collectOnce(collect, clock, () => set.scrapeFailures.inc({}))))
    return registry.metrics()
  }

  return {
    ...set,
    setStake: (stake) => setStake(set, stake),
    beforeScrape: (collect) => void collectors.push(collect),
    text: () => scrapes.share(scrape),
    contentType: registry.contentType,
  }
}

function instrument({ buckets, help, labels: labelNames = [], name, zeros = [] }: MetricEntry, registers: Registry[]) {
  const common = { name, help, labelNames, registers }
  let bound = seriesBound(labelNames)
  if (buckets) {
    const histogram = new Histogram({ ...common, buckets: [...buckets] })
    return { observe: (labels: Record<string, string>, value: number) => histogram.observe(bound(labels), value) }
  }
  if (name.endsWith('_total')) {
    const counter = new Counter(common)
    for (const labels of zeros) counter.inc(bound(labels), 0)
    return { inc: (labels: Record<string, string>, by = 1) => counter.inc(bound(labels), by) }
  }
  const gauge = new Gauge(common)
  const clear = () => {
    gauge.reset()
    // One without labels would state a 0 that nobody measured.
    if (labelNames.length === 0) gauge.remove()
    bound = seriesBound(labelNames)
  }
  clear()
  return { set: (labels: Record<string, string>, value: number) => gauge.set(bound(labels), value), clear }
}

/** Labels come from code and configuration, but a mistake there must not grow memory without end. */
function seriesBound(names: readonly string[]): (labels: Record<string, string>) => Record<string, string> {
  const seen = new Set<string>()
  const other = Object.fromEntries(names.map((name) => [name, 'other']))
  return (labels) => {
    const key = names.map((name) => labels[name]).join('\u0000')
    if (!seen.has(key) && seen.size >= MAX_SERIES) return other
    seen.add(key)
    return labels
  }
}

async function collectOnce(
  collect: () => void | Promise<void>,
  clock: MetricsOptions['clock'],
  onFailure: () => void,
): Promise<void> {
  const late = () => {
    throw new Error('timeout')
  }
  try {
    await withinLimit(clock, SCRAPE_TIMEOUT_MS, Promise.resolve().then(collect), late)
  } catch {
    onFailure()
  }
}

function setStake(set: MetricSet, { stakedWei, minStakeWei }: { stakedWei: bigint; minStakeWei: bigint }): void {
  set.stakeWei.set({}, Number(stakedWei))
  set.stakeMinWei.set({}, Number(minStakeWei))
  set.stakeEther.set({}, Number(stakedWei) / WEI_PER_ETHER)
  set.stakeMinEther.set({}, Number(minStakeWei) / WEI_PER_ETHER)
  set.stakeEnough.set({}, stakedWei >= minStakeWei ? 1 : 0)
}
