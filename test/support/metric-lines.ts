import type { Clock } from '../../src/core/clock.js'
import { createMetrics, type Metrics } from '../../src/observe/metrics/metrics.js'
import { ManualClock } from './manual-clock.js'

/** The metrics of a daemon that holds every role, without those of the process. */
export const newMetrics = (clock: Clock = new ManualClock()): Metrics => createMetrics({ clock, processMetrics: false })

/** The lines of a scrape that match, in its order. */
export async function metricLines(metrics: Metrics, pattern: RegExp): Promise<string[]> {
  return (await metrics.text()).split('\n').filter((line) => pattern.test(line))
}
