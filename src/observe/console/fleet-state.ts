import type { CanaryRow } from './canary-row.js'

/** One daemon as any daemon of its queue knows it. */
export interface FleetDaemon {
  /** Machine and port: the same after a restart, and never the same twice at once. */
  readonly name: string
  readonly machine: string
  readonly pid: number
  readonly version: string
  readonly roles: readonly string[]
  /** `lost`: not heard of for some seconds, and it did not state that it would stop. */
  readonly state: 'alive' | 'stopping' | 'lost'
  /** How long ago it was last heard of, ms. */
  readonly lastSeenMs: number
  readonly detectors: readonly {
    readonly id: string
    readonly version: string
    readonly digest: string
    readonly shadow: boolean
    /** Percent of the assets that it scores as a candidate. */
    readonly canary?: number | undefined
  }[]
  /** What its candidates did since its start; absent of a release that has none. */
  readonly canaries?: readonly CanaryRow[] | undefined
  /** How it stands to the last order of `models reload`; null where it does not analyze, absent of a release that takes none. */
  readonly selection?:
    | {
        readonly setting: string
        readonly chosen: string | null
        readonly order: string | null
        readonly outcome: string
        readonly message: string
        readonly lost: readonly string[]
      }
    | null
    | undefined
  /** The analyze queues that it takes jobs from, with its jobs a second of that kind alone; absent of an older release. */
  readonly kinds?: Readonly<Record<string, number | null>> | undefined
  /** Jobs that ended in the last minute, a second; null for a queue that it does not work on, and once it is lost. */
  readonly jobsPerSecond: Readonly<Record<'analyze' | 'submit', number | null>>
  /** Jobs a second that it could end, by how long the last ones took; null where there were none. */
  readonly capacity: Readonly<Record<'analyze' | 'submit', number | null>>
  /** Fingerprint of its fleet secret; absent without one. */
  readonly fingerprint?: string | undefined
  /** Why it is not ready, by the reasons of its `/readyz`. */
  readonly reasons: readonly string[]
}

/** What waits in one queue for one turnaround. */
export interface WaitingRow {
  readonly queue: string
  readonly turnaround: string
  readonly waiting: number
  /** How long the first of them has waited, ms; null where none waits. */
  readonly oldestMs: number | null
}

/** A queue in which jobs wait that nobody takes. */
export interface Unserved {
  readonly queue: string
  readonly waiting: number
}

/** Jobs of one queue that wait for their next try. */
export interface RetryingRow {
  readonly queue: string
  /** How the last try failed; null for jobs that were only held. */
  readonly reason: string | null
  readonly jobs: number
  /** About how long until the first of them is tried, ms. */
  readonly nextTryInMs: number
}

/** The work ahead of the fleet. */
export interface Backlog {
  readonly rows: readonly WaitingRow[]
  /** By queue: time until all that waits now is done, ms, as fast as the last jobs were; null where that is not known. */
  readonly drainMs: Readonly<Record<string, number | null>>
  /** Queues of kinds of media for which no daemon that is alive has a detector. */
  readonly unserved: readonly Unserved[]
  readonly retrying: readonly RetryingRow[]
  /** Urgent assets that will be analyzed later than five minutes after they came, at this rate. */
  readonly missesAhead: number
}

/** All daemons on the queue, and the work ahead of them. */
export interface FleetState {
  readonly daemons: readonly FleetDaemon[]
  /** What differs between daemons that are alive; empty where nothing does. */
  readonly mixed: {
    readonly versions: readonly string[]
    readonly detectors: readonly string[]
    /** Daemons with the fingerprints of their fleet secrets. */
    readonly fingerprints: readonly string[]
  }
  readonly backlog: Backlog
}
