import { FLEET_METRICS } from './fleet-metric-table.js'
import type { MetricEntry } from './metric-entry.js'

const INTAKE = ['intake'] as const
const ANALYZE = ['analyze'] as const
const SUBMIT = ['submit'] as const
/** The roles that take jobs from a queue. */
const WORKERS = ['analyze', 'submit'] as const
/** The roles that ask the service. */
const SERVICE = ['intake', 'submit'] as const

/** From a quick request to a slow one, seconds. */
const REQUEST_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
/** From one small image to a long video, seconds. */
const WORK_SECONDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300]
/** `priority_5min` wants 300; a standard asset may wait for hours. Seconds. */
const TURNAROUND_SECONDS = [0.5, 1, 2.5, 5, 10, 30, 60, 120, 180, 240, 300, 600, 1800, 3600, 14_400]

/** Every metric of the daemon. `reason` is a code of the one list of reasons, or a word its help text names; no label ever holds an asset id. */
export const METRICS = {
  buildInfo: {
    name: 'attestd_build_info',
    type: 'gauge',
    labels: ['version', 'node', 'queue_engine'],
    help: 'Always 1; the labels name what runs. Several versions at once mean an unfinished roll-out.',
  },
  ready: {
    name: 'attestd_ready',
    type: 'gauge',
    labels: ['check'],
    help: 'Readiness by check: 1 ok, 0 not. 0 for longer than a restart takes: see /readyz.',
  },
  notReady: {
    name: 'attestd_not_ready',
    type: 'gauge',
    labels: ['check', 'reason'],
    help: '1 for each readiness check that fails, by reason; 0 once it has passed again. 1 for longer than a restart takes: look the reason up.',
  },
  logLines: {
    name: 'attestd_log_lines_total',
    type: 'counter',
    labels: ['level'],
    help: 'Log lines written. Any steady rate of error lines is bad.',
  },
  scrapeFailures: {
    name: 'attestd_scrape_failures_total',
    type: 'counter',
    labels: [],
    help: 'Values that could not be read for /metrics. Rising: gauges such as queue depth are absent.',
  },

  webhookMessages: {
    name: 'attestd_webhook_messages_total',
    type: 'counter',
    labels: ['outcome'],
    zeros: [{ outcome: 'ok' }, { outcome: 'failed' }, { outcome: 'dropped' }],
    help: 'Alarms sent to the webhook, by outcome: ok, failed (after all tries) or dropped (too many waited). Any failed: nobody was notified.',
  },
  diskFree: {
    name: 'attestd_disk_free_bytes',
    type: 'gauge',
    labels: [],
    help: 'Free space on the disk of the data directory. Below ATTESTD_DISK_FREE_BYTES: free some; near 0 all work stops.',
  },

  // what comes in
  assets: {
    name: 'attestd_assets_total',
    type: 'counter',
    labels: ['how', 'turnaround'],
    roles: INTAKE,
    help: 'Open assets by what intake did: enqueued, known (already queued), scored (already on record), dropped (closed before its turn). Only scored for hours: another daemon with this key does the work. Many dropped: too slow.',
  },
  malformed: {
    name: 'attestd_malformed_total',
    type: 'counter',
    labels: ['what', 'reason'],
    roles: SERVICE,
    help: 'Malformed assets, stakes or events that were skipped. Above 0: the service changed, or sends invalid data.',
  },
  streamConnected: {
    name: 'attestd_stream_connected',
    type: 'gauge',
    labels: [],
    roles: INTAKE,
    help: '1 while an event stream is connected, else 0. 0 for minutes: urgent assets are found late, by the periodic list.',
  },
  streamReconnects: {
    name: 'attestd_stream_reconnects_total',
    type: 'counter',
    labels: ['reason'],
    roles: INTAKE,
    help: 'Stream connections that ended, by reason. One per minute or more is bad.',
  },
  streamLastByteAge: {
    name: 'attestd_stream_last_byte_age_seconds',
    type: 'gauge',
    labels: [],
    roles: INTAKE,
    help: 'Time since the last byte of the stream.',
  },
  streamEvents: {
    name: 'attestd_stream_events_total',
    type: 'counter',
    labels: ['kind'],
    roles: INTAKE,
    help: 'Stream events by kind: ready, snapshot, delta, heartbeat, unread, trouble. Heartbeats that stop, or much trouble, are bad.',
  },

  // work
  jobs: {
    name: 'attestd_jobs_total',
    type: 'counter',
    labels: ['queue', 'outcome', 'reason'],
    roles: WORKERS,
    help: 'Jobs that ended, by outcome: completed, failed, stalled. Rising failures: see attestd queue failed.',
  },
  jobSeconds: {
    name: 'attestd_job_seconds',
    type: 'histogram',
    labels: ['queue'],
    roles: WORKERS,
    buckets: WORK_SECONDS,
    help: 'Time of the last attempt of a completed job. Submit above 5 s: the service is slow. Analyze above 60 s: gateways or detectors are slow.',
  },
  retries: {
    name: 'attestd_retries_total',
    type: 'counter',
    labels: ['queue', 'reason'],
    roles: WORKERS,
    help: 'Attempts that failed and will be retried, by reason. More than a few per hundred jobs, or a steady rise: see the reason.',
  },
  holds: {
    name: 'attestd_holds_total',
    type: 'counter',
    labels: ['queue', 'reason'],
    roles: WORKERS,
    help: 'Jobs put back without spending an attempt, by reason. Rising with stake-low or clock-untrusted: nothing is submitted.',
  },

  ...FLEET_METRICS,

  // media
  mediaFetches: {
    name: 'attestd_media_fetches_total',
    type: 'counter',
    labels: ['origin', 'outcome'],
    roles: ANALYZE,
    help: 'Media requested, by origin and outcome: cache hit, miss, shared, corrupt or evicted; ipfs or https ok, too-slow or busy. Many too-slow: a slow gateway, or hostile media. Misses without an ok of ipfs or https: nothing can be fetched. Any corrupt: the disk is failing.',
  },
  mediaFetching: {
    name: 'attestd_media_fetching',
    type: 'gauge',
    labels: ['state'],
    roles: ANALYZE,
    help: 'Fetches under way: first (never too slow before), later (was too slow before), and connections of both. Connections near ATTESTD_FETCH_CONNECTIONS for minutes: slow media uses the connections of other media.',
  },
  mediaFetchSeconds: {
    name: 'attestd_media_fetch_seconds',
    type: 'histogram',
    labels: ['origin'],
    roles: ANALYZE,
    buckets: WORK_SECONDS,
    help: 'Time to fetch and verify one file. Above 30 s: put a faster gateway first.',
  },
  mediaBytes: {
    name: 'attestd_media_bytes_total',
    type: 'counter',
    labels: ['origin'],
    roles: ANALYZE,
    help: 'Bytes of verified media. Flat while jobs wait: nothing arrives.',
  },
  gatewayRequests: {
    name: 'attestd_gateway_requests_total',
    type: 'counter',
    labels: ['gateway', 'outcome'],
    roles: ANALYZE,
    help: 'Requests by gateway host and outcome; cancelled: another gateway was faster. Many failed, timeout or slow: put another one first. Any integrity: it delivers wrong bytes; remove it.',
  },

  // detection
  detectorSeconds: {
    name: 'attestd_detector_seconds',
    type: 'histogram',
    labels: ['stage'],
    roles: ANALYZE,
    buckets: [0.002, 0.005, ...WORK_SECONDS],
    help: 'Time of one file by stage: decode, infer. Twice the usual: the machine is overcommitted.',
  },
  detectorProcesses: {
    name: 'attestd_detector_processes',
    type: 'gauge',
    labels: ['state'],
    roles: ANALYZE,
    help: 'Detector processes by state: ready, busy, starting. Ready and busy both 0: nothing can be scored.',
  },
  detectorRestarts: {
    name: 'attestd_detector_restarts_total',
    type: 'counter',
    labels: ['reason'],
    roles: ANALYZE,
    help: 'Detector processes replaced, by cause. jobs is routine; crashed, timeout and memory are poison files; killed is the kernel or another program; self-test, answer or a detector-* reason is a broken package.',
  },
  lastInferenceAge: {
    name: 'attestd_last_inference_age_seconds',
    type: 'gauge',
    labels: [],
    roles: ANALYZE,
    help: 'Time since an inference last succeeded, probes included. Above 60: not ready.',
  },
  detectorInfo: {
    name: 'attestd_detector_info',
    type: 'gauge',
    labels: ['detector', 'version', 'digest', 'part'],
    roles: ANALYZE,
    help: '1 for each loaded detector, by digest and part (scores, shadow or canary); 0 for those that a reload replaced. Several versions at 1: an unfinished swap.',
  },
  detectorReloads: {
    name: 'attestd_detector_reloads_total',
    type: 'counter',
    labels: ['outcome'],
    roles: ANALYZE,
    help: 'Swaps of the detector packages, by outcome: done, or the reason why the old ones stayed. Any reason: see the log.',
  },
  shadowResults: {
    name: 'attestd_shadow_results_total',
    type: 'counter',
    labels: ['detector', 'outcome'],
    roles: ANALYZE,
    help: 'Files measured by shadow detectors: agrees or disagrees (side of 0.5 of what is submitted), or the reason why there is no score. Many disagree: look at them before you promote it.',
  },
  shadowChanges: {
    name: 'attestd_shadow_would_change_total',
    type: 'counter',
    labels: ['detector'],
    roles: ANALYZE,
    help: 'Files for which the daemon would have acted differently with a shadow detector.',
  },
  shadowDifference: {
    name: 'attestd_shadow_risk_difference_percent',
    type: 'histogram',
    labels: ['detector'],
    roles: ANALYZE,
    buckets: [0.5, 1, 2, 5, 10, 20, 30, 50, 70],
    help: 'Distance between the risk of a shadow detector and that measured for submission. Mostly above 20: they are calibrated differently.',
  },
  shadowSeconds: {
    name: 'attestd_shadow_seconds',
    type: 'histogram',
    labels: ['detector'],
    roles: ANALYZE,
    buckets: WORK_SECONDS,
    help: 'Time of a shadow detector for one file, at low priority. Far above attestd_detector_seconds: it would slow the daemon down.',
  },
  shadowDropped: {
    name: 'attestd_shadow_dropped_total',
    type: 'counter',
    labels: [],
    roles: ANALYZE,
    help: 'Files that no shadow measured because there was other work. Most of them: the figures of the shadows cover quiet times only.',
  },
  canaryResults: {
    name: 'attestd_canary_results_total',
    type: 'counter',
    labels: ['detector', 'media_type', 'outcome'],
    roles: ANALYZE,
    help: 'Files of a candidate, by how the active detectors judge them: agrees or disagrees (side of 0.5), abstained or failed. Many disagree: look at them before you promote it.',
  },
  canaryDifference: {
    name: 'attestd_canary_mean_risk_difference_percent',
    type: 'gauge',
    labels: ['detector', 'media_type'],
    roles: ANALYZE,
    help: 'Mean risk of a candidate less that of the active detectors, over the files that both measured. Far from 0: it is calibrated differently.',
  },
  canaryAbstained: {
    name: 'attestd_canary_abstained_total',
    type: 'counter',
    labels: ['detector', 'media_type', 'by'],
    roles: ANALYZE,
    help: 'Files of a candidate on which it (by candidate) or the active detectors (by in-charge) abstained or were unsure. Candidate far above in-charge: it would score fewer files.',
  },
  canarySeconds: {
    name: 'attestd_canary_seconds',
    type: 'histogram',
    labels: ['detector', 'media_type', 'by'],
    buckets: WORK_SECONDS,
    roles: ANALYZE,
    help: 'Decoding and inference of a file by the candidate, and by the active detectors at low priority. Candidate far above in-charge: it would slow the daemon down.',
  },
  driftPsi: {
    name: 'attestd_drift_psi',
    type: 'gauge',
    labels: ['detector', 'kind', 'reference'],
    roles: ANALYZE,
    help: 'Population stability index of the last 500 files of a detector, by kind (risk, abstention), against its evaluation or its own first 500 files (reference own). Above 0.25: its media differs from what it was measured on.',
  },
  riskPercent: {
    name: 'attestd_risk_percent',
    type: 'histogram',
    labels: ['detector', 'media_type'],
    roles: ANALYZE,
    buckets: [5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95],
    help: 'Risk of the verdicts. All at one end, or a sudden shift: the detector gets media that it was not calibrated for.',
  },
  abstained: {
    name: 'attestd_abstained_total',
    type: 'counter',
    labels: ['reason', 'media_type'],
    roles: ANALYZE,
    help: 'Assets that got no score on purpose, by reason. Most of a media type: no detector fits it, or the policy is too strict.',
  },

  // submission
  scores: {
    name: 'attestd_scores_total',
    type: 'counter',
    labels: ['how'],
    zeros: [{ how: 'accepted' }, { how: 'confirmed' }, { how: 'foreign' }],
    roles: SUBMIT,
    help: 'Scores on record: accepted (by the answer), confirmed (found after an unclear end) or foreign (not sent by this queue). Flat accepted while assets are seen, or any foreign, is bad.',
  },
  doppelgangers: {
    name: 'attestd_doppelganger_scores_total',
    type: 'counter',
    labels: [],
    zeros: [{}],
    roles: SUBMIT,
    help: 'Scores of this attester that this queue never sent. Above 0: another daemon, or a thief, uses the key.',
  },
  missed: {
    name: 'attestd_missed_total',
    type: 'counter',
    labels: ['turnaround', 'reason'],
    zeros: [
      { turnaround: 'priority_5min', reason: 'late' },
      { turnaround: 'priority_5min', reason: 'asset-closed' },
      { turnaround: 'standard', reason: 'asset-closed' },
    ],
    roles: SERVICE,
    help: 'Assets scored too late: asset-closed (no score), or late (priority_5min after 5 minutes). Above 0: see what delayed them.',
  },
  openToAccepted: {
    name: 'attestd_open_to_accepted_seconds',
    type: 'histogram',
    labels: ['turnaround'],
    roles: SUBMIT,
    buckets: TURNAROUND_SECONDS,
    help: 'Time from first sight of an asset to its accepted score. priority_5min above 300 is too late.',
  },
  serviceRequests: {
    name: 'attestd_service_requests_total',
    type: 'counter',
    labels: ['route', 'status'],
    roles: SERVICE,
    help: 'Requests to the service by route and status, or reason. 401: credentials or clock; 403: stake or wallet; 429: too many requests.',
  },
  serviceSeconds: {
    name: 'attestd_service_request_seconds',
    type: 'histogram',
    labels: ['route'],
    roles: SERVICE,
    buckets: REQUEST_SECONDS,
    help: 'Time of one request to the service. Above 2.5 s: the service is slow.',
  },

  // gates
  clockOffset: {
    name: 'attestd_clock_offset_seconds',
    type: 'gauge',
    labels: [],
    roles: SERVICE,
    help: 'Service time minus local time; corrected when signing. More than a few seconds: this machine lacks time synchronization.',
  },
  clockErrorBound: {
    name: 'attestd_clock_error_bound_seconds',
    type: 'gauge',
    labels: [],
    roles: SERVICE,
    help: 'Largest possible error of the service time. Near the timestamp window (30 s): submissions are held.',
  },
  clockTrusted: {
    name: 'attestd_clock_trusted',
    type: 'gauge',
    labels: [],
    roles: SERVICE,
    help: '1 while the service time is known well enough to sign, else 0. 0: nothing is submitted.',
  },
  stakeEther: {
    name: 'attestd_stake_ether',
    type: 'gauge',
    labels: [],
    roles: SUBMIT,
    help: "Stake of the key's wallet. Below attestd_stake_min_ether: nothing is submitted.",
  },
  stakeMinEther: {
    name: 'attestd_stake_min_ether',
    type: 'gauge',
    labels: [],
    roles: SUBMIT,
    help: 'Minimum stake as the service states it.',
  },
  stakeWei: {
    name: 'attestd_stake_wei',
    type: 'gauge',
    labels: [],
    roles: SUBMIT,
    help: 'The stake in wei, as precisely as a float allows. Below attestd_stake_min_wei: nothing is submitted.',
  },
  stakeMinWei: {
    name: 'attestd_stake_min_wei',
    type: 'gauge',
    labels: [],
    roles: SUBMIT,
    help: 'The minimum stake in wei, as precisely as a float allows.',
  },
  stakeReadAge: {
    name: 'attestd_stake_read_age_seconds',
    type: 'gauge',
    labels: [],
    roles: SUBMIT,
    help: 'Time since stake and roles were read from the stake contract. Above a few minutes: no RPC endpoint answers.',
  },
  stakeDisagreements: {
    name: 'attestd_stake_disagreements_total',
    type: 'counter',
    labels: [],
    roles: SUBMIT,
    help: 'Readings of the stake contract that differ from what a signed-key service reports. Rising: wrong contract, chain or wallet in the settings, or a wrong service.',
  },
  rpcRequests: {
    name: 'attestd_rpc_requests_total',
    type: 'counter',
    labels: ['endpoint', 'outcome'],
    roles: SERVICE,
    help: 'Uses of RPC endpoints by outcome: ok or a reason. Mostly failures at the first: put another one first.',
  },
  sessions: {
    name: 'attestd_sessions_total',
    type: 'counter',
    labels: ['event'],
    roles: SERVICE,
    help: 'Wallet sessions by event: opened, renewed, refused. Any refused, or many a minute: the wallet, its roles, or a service that forgets sessions.',
  },
  signatures: {
    name: 'attestd_signatures_total',
    type: 'counter',
    labels: ['wallet', 'outcome'],
    roles: SERVICE,
    help: 'Signatures of the wallet by outcome: ok or a reason. Any signature-wrong: stop and investigate.',
  },
  signatureSeconds: {
    name: 'attestd_signature_seconds',
    type: 'histogram',
    labels: ['wallet'],
    roles: SERVICE,
    buckets: REQUEST_SECONDS,
    help: 'Time of one signature. A wallet provider above 2.5 s slows submission down.',
  },
  stakeEnough: {
    name: 'attestd_stake_enough',
    type: 'gauge',
    labels: [],
    roles: SUBMIT,
    help: '1 while the stake meets the minimum (compared exactly), else 0. 0: submission is paused until it is topped up.',
  },
} as const satisfies Record<string, MetricEntry>

/** A key of the metric table. */
export type MetricKey = keyof typeof METRICS
