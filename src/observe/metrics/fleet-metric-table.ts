import type { MetricTable } from './metric-entry.js'

/** Gauges of all daemons and of the queue they share, read for each scrape: whoever adds those of several daemons up counts twice. */
export const FLEET_METRICS = {
  queueDepth: {
    name: 'attestd_queue_depth',
    labels: ['queue', 'state'],
    help: 'Jobs by state: waiting, active, delayed, failed, completed. Waiting that only grows: add workers. Delayed that only grows: see attestd_holds_total and attestd_retries_total.',
  },
  fleetDaemons: {
    name: 'attestd_fleet_daemons',
    labels: ['state'],
    help: 'Daemons on the queue: alive, stopping, or lost in the last hour. Any lost: see attestd status --fleet.',
  },
  fleetLastSeen: {
    name: 'attestd_fleet_last_seen_seconds',
    labels: ['daemon', 'machine', 'roles', 'version', 'state'],
    help: 'Time since a daemon last announced itself; for an hour after it was lost. Above 4: it hangs, is gone, or cannot reach the queue.',
  },
  fleetJobs: {
    name: 'attestd_fleet_jobs_per_second',
    labels: ['daemon', 'queue'],
    help: 'Jobs per second of each daemon in the last minute. One at 0 while others work: it hangs.',
  },
  fleetDetectors: {
    name: 'attestd_fleet_detector_info',
    labels: ['daemon', 'detector', 'version', 'digest', 'part'],
    help: '1 for each detector of each daemon, by digest and part (scores, shadow or canary).',
  },
  fleetMixed: {
    name: 'attestd_fleet_mixed',
    labels: ['what'],
    help: '1 while live daemons differ in version, secret or detectors, else 0. 1 for longer than a roll-out takes: finish the roll-out.',
  },
  waitingJobs: {
    name: 'attestd_waiting_jobs',
    labels: ['queue', 'turnaround'],
    help: 'Jobs that wait, by turnaround. Only growing: add workers.',
  },
  waitingOldest: {
    name: 'attestd_waiting_oldest_seconds',
    labels: ['queue', 'turnaround'],
    help: 'How long the next job of a turnaround has waited; 0 if none waits. priority_5min above 60: it may come too late.',
  },
  drainSeconds: {
    name: 'attestd_drain_seconds',
    labels: ['queue'],
    help: 'Estimated time until all waiting jobs are done; absent if unknown, as without workers. Growing: add workers.',
  },
  retryingJobs: {
    name: 'attestd_retrying_jobs',
    labels: ['queue', 'reason'],
    help: 'Jobs that wait for a retry, by the last reason (held: the gate was closed); at most 300 per queue are counted. Growing: see that reason.',
  },
  unservedJobs: {
    name: 'attestd_unserved_jobs',
    labels: ['queue'],
    help: 'Waiting jobs of a kind of media for which no live daemon has a detector. Above 0: start a worker with one.',
  },
  reviewWaiting: {
    name: 'attestd_review_jobs',
    help: 'Unsure assets that wait for a person (ATTESTD_UNSURE_POLICY=review); at most 1000 are counted. Growing: nobody decides.',
  },
  reviewDeadline: {
    name: 'attestd_review_deadline_seconds',
    help: 'Time until the nearest deadline of an unsure asset that waits for a person; absent where none waits. Below 600: decide it at /review, or it gets no score.',
  },
  missesAhead: {
    name: 'attestd_deadline_misses_ahead',
    help: 'Waiting priority_5min assets that will be analyzed too late at this rate. Above 0: add workers now, or see attestd_retrying_jobs.',
  },
} as const satisfies MetricTable
