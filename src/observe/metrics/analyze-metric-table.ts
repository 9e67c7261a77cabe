import { type MetricTable, WORK_SECONDS } from './metric-entry.js'

/** What a daemon with the role `analyze` states: media, detectors and what they found. */
export const ANALYZE_METRICS = {
  mediaFetches: {
    name: 'attestd_media_fetches_total',
    labels: ['origin', 'outcome'],
    help: 'Media requested, by origin and outcome: cache hit, miss, shared, corrupt or evicted; ipfs or https ok, too-slow or busy. Many too-slow: a slow gateway, or hostile media. Misses without an ok of ipfs or https: nothing can be fetched. Any corrupt: the disk is failing.',
  },
  mediaFetching: {
    name: 'attestd_media_fetching',
    labels: ['state'],
    help: 'Fetches under way: first (never too slow before), later (was too slow before), and connections of both. Connections near ATTESTD_FETCH_CONNECTIONS for minutes: slow media uses the connections of other media.',
  },
  mediaFetchSeconds: {
    name: 'attestd_media_fetch_seconds',
    labels: ['origin'],
    buckets: WORK_SECONDS,
    help: 'Time to fetch and verify one file. Above 30 s: put a faster gateway first.',
  },
  mediaBytes: {
    name: 'attestd_media_bytes_total',
    labels: ['origin'],
    help: 'Bytes of verified media. Flat while jobs wait: nothing arrives.',
  },
  gatewayRequests: {
    name: 'attestd_gateway_requests_total',
    labels: ['gateway', 'outcome'],
    help: 'Requests by gateway host and outcome; cancelled: another gateway was faster. Many failed, timeout or slow: put another one first. Any integrity: it delivers wrong bytes; remove it.',
  },
  detectorSeconds: {
    name: 'attestd_detector_seconds',
    labels: ['stage'],
    buckets: [0.002, 0.005, ...WORK_SECONDS],
    help: 'Time of one file by stage: decode, infer. Twice the usual: the machine is overcommitted.',
  },
  detectorProcesses: {
    name: 'attestd_detector_processes',
    labels: ['state'],
    help: 'Detector processes by state: ready, busy, starting. Ready and busy both 0: nothing can be scored.',
  },
  detectorRestarts: {
    name: 'attestd_detector_restarts_total',
    labels: ['reason'],
    help: 'Detector processes replaced, by cause. jobs is routine; crashed, timeout and memory are poison files; killed is the kernel or another program; self-test, answer or a detector-* reason is a broken package.',
  },
  lastInferenceAge: {
    name: 'attestd_last_inference_age_seconds',
    help: 'Time since an inference last succeeded, probes included. Above 60: not ready.',
  },
  detectorInfo: {
    name: 'attestd_detector_info',
    labels: ['detector', 'version', 'digest', 'part'],
    help: '1 for each loaded detector, by digest and part (scores, shadow or canary); 0 for those that a reload replaced. Several versions at 1: an unfinished swap.',
  },
  detectorReloads: {
    name: 'attestd_detector_reloads_total',
    labels: ['outcome'],
    help: 'Swaps of the detector packages, by outcome: done, or the reason why the old ones stayed. Any reason: see the log.',
  },
  shadowResults: {
    name: 'attestd_shadow_results_total',
    labels: ['detector', 'outcome'],
    help: 'Files measured by shadow detectors: agrees or disagrees (side of 0.5 of what is submitted), or the reason why there is no score. Many disagree: look at them before you promote it.',
  },
  shadowChanges: {
    name: 'attestd_shadow_would_change_total',
    labels: ['detector'],
    help: 'Files for which the daemon would have acted differently with a shadow detector.',
  },
  shadowDifference: {
    name: 'attestd_shadow_risk_difference_percent',
    labels: ['detector'],
    buckets: [0.5, 1, 2, 5, 10, 20, 30, 50, 70],
    help: 'Distance between the risk of a shadow detector and that measured for submission. Mostly above 20: they are calibrated differently.',
  },
  shadowSeconds: {
    name: 'attestd_shadow_seconds',
    labels: ['detector'],
    buckets: WORK_SECONDS,
    help: 'Time of a shadow detector for one file, at low priority. Far above attestd_detector_seconds: it would slow the daemon down.',
  },
  shadowDropped: {
    name: 'attestd_shadow_dropped_total',
    help: 'Files that no shadow measured because there was other work. Most of them: the figures of the shadows cover quiet times only.',
  },
  canaryResults: {
    name: 'attestd_canary_results_total',
    labels: ['detector', 'media_type', 'outcome'],
    help: 'Files of a candidate, by how the active detectors judge them: agrees or disagrees (side of 0.5), abstained or failed. Many disagree: look at them before you promote it.',
  },
  canaryDifference: {
    name: 'attestd_canary_mean_risk_difference_percent',
    labels: ['detector', 'media_type'],
    help: 'Mean risk of a candidate less that of the active detectors, over the files that both measured. Far from 0: it is calibrated differently.',
  },
  canaryAbstained: {
    name: 'attestd_canary_abstained_total',
    labels: ['detector', 'media_type', 'by'],
    help: 'Files of a candidate on which it (by candidate) or the active detectors (by in-charge) abstained or were unsure. Candidate far above in-charge: it would score fewer files.',
  },
  canarySeconds: {
    name: 'attestd_canary_seconds',
    labels: ['detector', 'media_type', 'by'],
    buckets: WORK_SECONDS,
    help: 'Decoding and inference of a file by the candidate, and by the active detectors at low priority. Candidate far above in-charge: it would slow the daemon down.',
  },
  driftPsi: {
    name: 'attestd_drift_psi',
    labels: ['detector', 'kind', 'reference'],
    help: 'Population stability index of the last 500 files of a detector, by kind (risk, abstention), against its evaluation or its own first 500 files (reference own). Above 0.25: its media differs from what it was measured on.',
  },
  riskPercent: {
    name: 'attestd_risk_percent',
    labels: ['detector', 'media_type'],
    buckets: [5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95],
    help: 'Risk of the verdicts. All at one end, or a sudden shift: the detector gets media that it was not calibrated for.',
  },
  abstained: {
    name: 'attestd_abstained_total',
    labels: ['reason', 'media_type'],
    help: 'Assets that got no score on purpose, by reason. Most of a media type: no detector fits it, or the policy is too strict.',
  },
} as const satisfies MetricTable
