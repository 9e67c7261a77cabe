import type { MetricEntry } from './metric-entry.js'

/** What every daemon states of all daemons and of the queue they share. */
export const FLEET_METRICS = {
  queueDepth: {
    name: 'attestd_queue_depth',
    type: 'gauge',
    labels: ['queue', 'state'],
    shared: true,
    help: 'Jobs by state: waiting, active, delayed, failed, completed; absent while the queue is away. Waiting that only grows: add workers. Delayed that only grows: something holds submission (see attestd_holds_total), or trouble lasts (see attestd_retries_total).',
  },
  fleetDaemons: {
    name: 'attestd_fleet_daemons',
    type: 'gauge',
    labels: ['state'],
    shared: true,
    help: 'Daemons on the queue: alive, stopping, or lost in the last hour. Any lost: see attestd status --fleet.',
  },
  fleetLastSeen: {
    name: 'attestd_fleet_last_seen_seconds',
    type: 'gauge',
    labels: ['daemon', 'machine', 'roles', 'version', 'state'],
    shared: true,
    help: 'Time since a daemon last announced itself, by machine and port; for an hour after it was lost. Above 4: it hangs, is gone, or cannot reach the queue.',
  },
  fleetJobs: {
    name: 'attestd_fleet_jobs_per_second',
    type: 'gauge',
    labels: ['daemon', 'queue'],
    shared: true,
    help: 'Jobs that each daemon ended in the last minute, a second. One at 0 while others work: it hangs.',
  },
  fleetDetectors: {
    name: 'attestd_fleet_detector_info',
    type: 'gauge',
    labels: ['daemon', 'detector', 'version', 'digest', 'part'],
    shared: true,
    help: '1 for each detector of each daemon, by the first characters of its digest and its part (scores, shadow or canary).',
  },
  fleetMixed: {
    name: 'attestd_fleet_mixed',
    type: 'gauge',
    labels: ['what'],
    shared: true,
    help: '1 while daemons that are alive differ in version or secret, or those that analyze in detectors; else 0. 1 for longer than a roll-out takes: finish it, since scores depend on who measures, and daemons of another secret refuse the jobs of each other.',
  },
  fleetForged: {
    name: 'attestd_forged_total',
    type: 'counter',
    labels: ['what'],
    zeros: [{ what: 'job' }, { what: 'verdict' }, { what: 'order' }],
    help: 'What was found on Redis without the code of the fleet and not used: job, verdict, order. Above 0 while all daemons have the same ATTESTD_FLEET_SECRET: somebody else writes to Redis.',
  },
  waitingJobs: {
    name: 'attestd_waiting_jobs',
    type: 'gauge',
    labels: ['queue', 'turnaround'],
    shared: true,
    help: 'Jobs that wait, by turnaround. Only growing: add workers.',
  },
  waitingOldest: {
    name: 'attestd_waiting_oldest_seconds',
    type: 'gauge',
    labels: ['queue', 'turnaround'],
    shared: true,
    help: 'How long the next job of a turnaround has waited; 0 where none waits. priority_5min above 60: it may come too late.',
  },
  drainSeconds: {
    name: 'attestd_drain_seconds',
    type: 'gauge',
    labels: ['queue'],
    shared: true,
    help: 'Estimated time until all that waits is done, as fast as the last jobs were; absent where that is not known, as without workers. Growing: add workers.',
  },
  retryingJobs: {
    name: 'attestd_retrying_jobs',
    type: 'gauge',
    labels: ['queue', 'reason'],
    shared: true,
    help: 'Jobs that wait for their next try, by how the last one failed (held: the gate was closed); at most 300 a queue are counted. Growing under one reason: see that reason.',
  },
  missesAhead: {
    name: 'attestd_deadline_misses_ahead',
    type: 'gauge',
    labels: [],
    shared: true,
    help: 'Waiting priority_5min assets that will be analyzed later than five minutes after they came, at this rate or because their next try is that late. Above 0: add workers now, or see attestd_retrying_jobs.',
  },
} as const satisfies Record<string, MetricEntry>
