import { ANALYZE_METRICS } from './analyze-metric-table.js'
import { FLEET_METRICS } from './fleet-metric-table.js'
import { type MetricTable, type Role, WORK_SECONDS } from './metric-entry.js'

/** From a quick request to a slow one, seconds. */
const REQUEST_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
/** `priority_5min` wants 300; a standard asset may wait for hours. Seconds. */
const TURNAROUND_SECONDS = [0.5, 1, 2.5, 5, 10, 30, 60, 120, 180, 240, 300, 600, 1800, 3600, 14_400]

const OWN_METRICS = {
  buildInfo: {
    name: 'attestd_build_info',
    labels: ['version', 'node', 'queue_engine'],
    help: 'Always 1; the labels name what runs. Several versions at once mean an unfinished roll-out.',
  },
  ready: {
    name: 'attestd_ready',
    labels: ['check'],
    help: 'Readiness by check: 1 ok, 0 not. 0 for longer than a restart takes: see /readyz.',
  },
  notReady: {
    name: 'attestd_not_ready',
    labels: ['check', 'reason'],
    help: '1 for each readiness check that fails, by reason; 0 once it has passed again. 1 for longer than a restart takes: look the reason up.',
  },
  logLines: {
    name: 'attestd_log_lines_total',
    labels: ['level'],
    help: 'Log lines written. Any steady rate of error lines is bad.',
  },
  scrapeFailures: {
    name: 'attestd_scrape_failures_total',
    help: 'Values that could not be read for /metrics. Rising: gauges such as queue depth are absent.',
  },
  webhookMessages: {
    name: 'attestd_webhook_messages_total',
    labels: ['outcome'],
    zeros: [{ outcome: 'ok' }, { outcome: 'failed' }, { outcome: 'dropped' }],
    help: 'Alarms sent to the webhook, by outcome: ok, failed (after all tries) or dropped (too many waited). Any failed: nobody was notified.',
  },
  diskFree: {
    name: 'attestd_disk_free_bytes',
    help: 'Free space on the disk of the data directory. Below ATTESTD_DISK_FREE_BYTES: free some; near 0 all work stops.',
  },
  fleetForged: {
    name: 'attestd_forged_total',
    labels: ['what'],
    zeros: [{ what: 'job' }, { what: 'verdict' }, { what: 'order' }],
    help: 'Jobs, verdicts and orders on Redis without the code of the fleet, not used. Above 0 while all daemons have the same ATTESTD_FLEET_SECRET: somebody else writes to Redis.',
  },
} as const satisfies MetricTable

const INTAKE_METRICS = {
  assets: {
    name: 'attestd_assets_total',
    labels: ['how', 'turnaround'],
    help: 'Open assets by what intake did: enqueued, known (already queued), scored (already on record), dropped (closed before its turn). Only scored for hours: another daemon with this key does the work. Many dropped: too slow.',
  },
  streamConnected: {
    name: 'attestd_stream_connected',
    help: '1 while an event stream is connected, else 0. 0 for minutes: urgent assets are found late, by the periodic list.',
  },
  streamReconnects: {
    name: 'attestd_stream_reconnects_total',
    labels: ['reason'],
    help: 'Stream connections that ended, by reason. One per minute or more is bad.',
  },
  streamLastByteAge: {
    name: 'attestd_stream_last_byte_age_seconds',
    help: 'Time since the last byte of the stream.',
  },
  streamEvents: {
    name: 'attestd_stream_events_total',
    labels: ['kind'],
    help: 'Stream events by kind: ready, snapshot, delta, heartbeat, unread, trouble. Heartbeats that stop, or much trouble, are bad.',
  },
} as const satisfies MetricTable

/** Of the roles that ask the service. */
const SERVICE_METRICS = {
  malformed: {
    name: 'attestd_malformed_total',
    labels: ['what', 'reason'],
    help: 'Malformed assets, stakes or events that were skipped. Above 0: the service changed, or sends invalid data.',
  },
  missed: {
    name: 'attestd_missed_total',
    labels: ['turnaround', 'reason'],
    zeros: [
      { turnaround: 'priority_5min', reason: 'late' },
      { turnaround: 'priority_5min', reason: 'asset-closed' },
      { turnaround: 'standard', reason: 'asset-closed' },
    ],
    help: 'Assets scored too late: asset-closed (no score), or late (priority_5min after 5 minutes). Above 0: see what delayed them.',
  },
  serviceRequests: {
    name: 'attestd_service_requests_total',
    labels: ['route', 'status'],
    help: 'Requests to the service by route and status, or reason. 401: credentials or clock; 403: stake or wallet; 429: too many requests.',
  },
  serviceSeconds: {
    name: 'attestd_service_request_seconds',
    labels: ['route'],
    buckets: REQUEST_SECONDS,
    help: 'Time of one request to the service. Above 2.5 s: the service is slow.',
  },
  clockOffset: {
    name: 'attestd_clock_offset_seconds',
    help: 'Service time minus local time; corrected when signing. More than a few seconds: this machine lacks time synchronization.',
  },
  clockErrorBound: {
    name: 'attestd_clock_error_bound_seconds',
    help: 'Largest possible error of the service time. Near the timestamp window (30 s): submissions are held.',
  },
  clockTrusted: {
    name: 'attestd_clock_trusted',
    help: '1 while the service time is known well enough to sign, else 0. 0: nothing is submitted.',
  },
  rpcRequests: {
    name: 'attestd_rpc_requests_total',
    labels: ['endpoint', 'outcome'],
    help: 'Uses of RPC endpoints by outcome: ok or a reason. Mostly failures at the first: put another one first.',
  },
  sessions: {
    name: 'attestd_sessions_total',
    labels: ['event'],
    help: 'Wallet sessions by event: opened, renewed, refused. Any refused, or many a minute: the wallet, its roles, or a service that forgets sessions.',
  },
  signatures: {
    name: 'attestd_signatures_total',
    labels: ['wallet', 'outcome'],
    help: 'Signatures of the wallet by outcome: ok or a reason. Any signature-wrong: stop and investigate.',
  },
  signatureSeconds: {
    name: 'attestd_signature_seconds',
    labels: ['wallet'],
    buckets: REQUEST_SECONDS,
    help: 'Time of one signature. A wallet provider above 2.5 s slows submission down.',
  },
} as const satisfies MetricTable

/** Of the roles that take jobs from a queue. */
const WORKER_METRICS = {
  jobs: {
    name: 'attestd_jobs_total',
    labels: ['queue', 'outcome', 'reason'],
    help: 'Jobs that ended, by outcome: completed, failed, stalled. Rising failures: see attestd queue failed.',
  },
  jobSeconds: {
    name: 'attestd_job_seconds',
    labels: ['queue'],
    buckets: WORK_SECONDS,
    help: 'Time of the last attempt of a completed job. Submit above 5 s: the service is slow. Analyze above 60 s: gateways or detectors are slow.',
  },
  retries: {
    name: 'attestd_retries_total',
    labels: ['queue', 'reason'],
    help: 'Attempts that failed and will be retried, by reason. More than a few per hundred jobs, or a steady rise: see the reason.',
  },
  holds: {
    name: 'attestd_holds_total',
    labels: ['queue', 'reason'],
    help: 'Jobs put back without spending an attempt, by reason. Rising with stake-low or clock-untrusted: nothing is submitted.',
  },
} as const satisfies MetricTable

const SUBMIT_METRICS = {
  scores: {
    name: 'attestd_scores_total',
    labels: ['how'],
    zeros: [{ how: 'accepted' }, { how: 'confirmed' }, { how: 'foreign' }],
    help: 'Scores on record: accepted (by the answer), confirmed (found after an unclear end) or foreign (not sent by this queue). Flat accepted while assets are seen, or any foreign, is bad.',
  },
  doppelgangers: {
    name: 'attestd_doppelganger_scores_total',
    zeros: [{}],
    help: 'Scores of this attester that this queue never sent. Above 0: another daemon, or a thief, uses the key.',
  },
  openToAccepted: {
    name: 'attestd_open_to_accepted_seconds',
    labels: ['turnaround'],
    buckets: TURNAROUND_SECONDS,
    help: 'Time from first sight of an asset to its accepted score. priority_5min above 300 is too late.',
  },
  stakeEther: {
    name: 'attestd_stake_ether',
    help: "Stake of the key's wallet. Below attestd_stake_min_ether: nothing is submitted.",
  },
  stakeMinEther: {
    name: 'attestd_stake_min_ether',
    help: 'Minimum stake as the service states it.',
  },
  stakeWei: {
    name: 'attestd_stake_wei',
    help: 'The stake in wei, as precisely as a float allows. Below attestd_stake_min_wei: nothing is submitted.',
  },
  stakeMinWei: {
    name: 'attestd_stake_min_wei',
    help: 'The minimum stake in wei, as precisely as a float allows.',
  },
  stakeReadAge: {
    name: 'attestd_stake_read_age_seconds',
    help: 'Time since stake and roles were read from the stake contract. Above a few minutes: no RPC endpoint answers.',
  },
  stakeDisagreements: {
    name: 'attestd_stake_disagreements_total',
    help: 'Readings of the stake contract that differ from what a signed-key service reports. Rising: wrong contract, chain or wallet in the settings, or a wrong service.',
  },
  stakeEnough: {
    name: 'attestd_stake_enough',
    help: '1 while the stake meets the minimum (compared exactly), else 0. 0: submission is paused until it is topped up.',
  },
} as const satisfies MetricTable

/** Which daemons export which metrics: those with one of the roles, or all where none is named. */
export const METRIC_GROUPS: readonly { readonly roles?: readonly Role[]; readonly metrics: MetricTable }[] = [
  { metrics: OWN_METRICS },
  { roles: ['intake'], metrics: INTAKE_METRICS },
  { roles: ['intake', 'submit'], metrics: SERVICE_METRICS },
  { roles: ['analyze', 'submit'], metrics: WORKER_METRICS },
  { metrics: FLEET_METRICS },
  { roles: ['analyze'], metrics: ANALYZE_METRICS },
  { roles: ['submit'], metrics: SUBMIT_METRICS },
]

/** Every metric of the daemon. `reason` is a code of the one list of reasons, or a word its help text names; no label ever holds an asset id. */
export const METRICS = {
  ...OWN_METRICS,
  ...INTAKE_METRICS,
  ...SERVICE_METRICS,
  ...WORKER_METRICS,
  ...FLEET_METRICS,
  ...ANALYZE_METRICS,
  ...SUBMIT_METRICS,
}

export type MetricKey = keyof typeof METRICS
