import { FLEET_METRICS } from '../dist/observe/metrics/fleet-metric-table.js'
import { METRIC_GROUPS } from '../dist/observe/metrics/metric-table.js'

const HEAD = `# Metrics

Generated from \`src/observe/metrics/metric-table.ts\`; do not edit by hand. Served at \`/metrics\` in the Prometheus text format.

- \`reason\` is a code of the [list of reasons](REASONS.md), or \`none\`. No label contains an asset id.
- In parentheses: labels. \`*_total\` are counters; the others are gauges unless marked as histograms.
- Each line states what the metric measures, then what a bad value looks like.
- prom-client adds \`process_*\` and \`nodejs_*\`. \`nodejs_eventloop_lag_p99_seconds\` above 0.5 is bad.
`

const SHARED = `Every daemon on the queue states the same value: take \`max by\` the labels, as in
\`max by (queue, state) (attestd_queue_depth)\`, never the sum. Absent while the queue does not answer.
`

/** The metrics page (config/METRICS.md) as Markdown, made from the metric table. */
export function metricsPage() {
  const sections = METRIC_GROUPS.map(({ roles, metrics }) => section(titleOf(roles, metrics), metrics))
  return [HEAD, ...sections].join('\n')
}

function section(title, metrics) {
  const lines = Object.values(metrics).map(({ name, labels = [], buckets, help }) => {
    const notes = [...(buckets ? ['histogram'] : []), ...labels.map((label) => `\`${label}\``)]
    return `- \`${name}\`${notes.length > 0 ? ` (${notes.join(', ')})` : ''}: ${help}`
  })
  const intro = metrics === FLEET_METRICS ? [SHARED] : []
  return [`## ${title}`, '', ...intro, ...lines, ''].join('\n')
}

function titleOf(roles, metrics) {
  if (metrics === FLEET_METRICS) return 'Shared by the queue'
  return roles ? `With the role ${roles.join(' or ')}` : 'Every daemon'
}
