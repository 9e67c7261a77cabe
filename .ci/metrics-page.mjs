import { METRICS } from '../dist/observe/metrics/metric-table.js'

/** The metrics page (config/METRICS.md) as Markdown, made from the metric table. */
export function metricsPage() {
  const rows = Object.values(METRICS).map((entry) => {
    const labels = entry.labels.map((label) => `\`${label}\``).join(', ') || '-'
    return `| \`${entry.name}\` | ${entry.type} | ${labels} | ${whoStates(entry)} | ${entry.help.replaceAll('|', '\\|')} |`
  })
  return [
    '# Metrics',
    '',
    'Generated from `src/observe/metrics/metric-table.ts`; do not edit by hand. Served at `/metrics` in the Prometheus text format.',
    '',
    '`reason` is a code of the list of reasons, the same one as in the log line, the failed job and `/readyz`, or `none`, or a',
    'word that the last column names.',
    'No label holds an asset id, and a metric keeps at most a few hundred label combinations.',
    '',
    'A daemon states only what its roles (`ATTESTD_ROLES`) do; the fourth column names those of which one is enough. What is',
    '**shared** is the same from every daemon on a queue: take the `max by` its labels, as in',
    '`max by (queue, state) (attestd_queue_depth)`, never the sum. While the queue is away it is absent.',
    '',
    'The way of an asset in buckets of seconds: `attestd_media_fetch_seconds`, `attestd_detector_seconds` (decode, infer),',
    '`attestd_job_seconds` (analyze and submit as a whole), and `attestd_open_to_accepted_seconds` from its first sight to its score.',
    '',
    '| name | type | labels | who | meaning, and what a bad value looks like |',
    '|---|---|---|---|---|',
    ...rows,
    '',
    "The process itself is covered by prom-client's default metrics: `process_*` (CPU, memory, open files) and `nodejs_*`",
    '(event-loop lag, heap, garbage collection). `nodejs_eventloop_lag_p99_seconds` above 0.5 is bad: something computes',
    'in the main process.',
    '',
  ].join('\n')
}

/** In the words of the page. */
function whoStates({ roles, shared }) {
  if (shared) return '**shared**'
  return roles?.join(', ') ?? 'all'
}
