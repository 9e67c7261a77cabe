import { METRICS } from '../dist/observe/metrics/metric-table.js'

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
  const groups = new Map()
  for (const entry of Object.values(METRICS)) {
    const title = whoStates(entry)
    groups.set(title, [...(groups.get(title) ?? []), entry])
  }
  return [HEAD, ...[...groups].map(([title, entries]) => section(title, entries))].join('\n')
}

function section(title, entries) {
  const lines = entries.map(({ name, labels, type, help }) => {
    const notes = [...(type === 'histogram' ? ['histogram'] : []), ...labels.map((label) => `\`${label}\``)]
    return `- \`${name}\`${notes.length > 0 ? ` (${notes.join(', ')})` : ''}: ${help}`
  })
  const intro = entries[0].shared ? [SHARED] : []
  return [`## ${title}`, '', ...intro, ...lines, ''].join('\n')
}

/** In the words of the page. */
function whoStates({ roles, shared }) {
  if (shared) return 'Shared by the queue'
  return roles ? `With the role ${roles.join(' or ')}` : 'Every daemon'
}
