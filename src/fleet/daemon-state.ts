import type { ComparisonRow } from './comparison-row.js'
import type { SelectionState } from './daemon-card.js'
import type { FleetState } from './fleet-state.js'
import type { RecentRow } from './recent-rows.js'

/** Most rows that the page and `/status` show; the page looks for others in all that it is given. */
export const SHOWN_ROWS = 50

/** What a shadow detector did since the start of the daemon. */
export interface ShadowRow {
  /** Id and version. */
  readonly name: string
  /** Files that it scored. */
  readonly measured: number
  /** Of those, on the same side of 0.5 as what was measured for submission. */
  readonly agreed: number
  /** Of those, where the daemon would have done something else. */
  readonly wouldChange: number
  /** Files that it did not score. */
  readonly failed: number
}

/** How far what a detector states has shifted, as population stability indices; both null where that is not known yet. */
export interface DriftRow {
  readonly detector: string
  /** Its package's evaluation, or its own first verdicts; null while those are not enough. */
  readonly reference: 'evaluation' | 'own' | null
  /** Files that are compared, or that wait to become the reference. */
  readonly files: number
  /** Of those, how many there must be before drift is known. */
  readonly needed: number
  /** Of its risks. */
  readonly risk: number | null
  /** Of how often it abstains. */
  readonly abstention: number | null
}

/** The daemon's state as the console and `/status` show it; the app puts it together. Numbers of wei are decimal strings. */
export interface DaemonState {
  readonly version: string
  /** As the fleet knows this daemon. */
  readonly name: string
  /** What a verb needs to find the settings of this daemon, such as `--config FILE`. */
  readonly commandFlags: readonly string[]
  /** Local Unix ms. */
  readonly startedAt: number
  readonly pid: number
  readonly roles: readonly string[]
  /** Origin of the service. */
  readonly service: string
  readonly queueEngine: string
  readonly draining: boolean
  readonly queues: readonly {
    readonly name: string
    readonly paused: boolean
    readonly waiting: number
    readonly active: number
    readonly delayed: number
    readonly failed: number
    readonly completed: number
  }[]
  /** All daemons on the queue; null while the queue is away. */
  readonly fleet: FleetState | null
  /** Of the whole fleet, newest first. */
  readonly recent: readonly RecentRow[]
  readonly stake: {
    /** As last stated; it may be older than the refusal that `reason` names. */
    readonly stakedWei: string
    readonly minStakeWei: string
    readonly enough: boolean
    readonly reason: string | null
  } | null
  readonly clock: {
    readonly offsetMs: number | null
    readonly errorBoundMs: number | null
    readonly trusted: boolean
    readonly reason: string | null
  } | null
  readonly stream: {
    readonly connected: boolean
    readonly lastByteAgeMs: number | null
    readonly reconnects: number
  } | null
  /** Scores that no daemon on this queue sent, since the start; null where this process does not submit. */
  readonly doppelgangers: { readonly scores: number; readonly lastAsset: string | null } | null
  readonly detectors: readonly {
    readonly id: string
    readonly version: string
    readonly title: string
    readonly mediaTypes: readonly string[]
    readonly digest: string
    /** Measured on live work, never submitted. */
    readonly shadow?: boolean
    readonly weight?: number
    /** Percent of the assets that it scores as a candidate. */
    readonly canary?: number | undefined
  }[]
  /** Which detectors are chosen, and by whose word; null where the daemon does not analyze. */
  readonly selection: Pick<SelectionState, 'setting' | 'chosen'> | null
  /** Absent where no shadow detector has had anything to do. */
  readonly shadows?: { readonly rows: readonly ShadowRow[]; readonly dropped: number }
  /** What the candidates did since the start, on this daemon. */
  readonly canaries: readonly ComparisonRow[]
  /** Of the detectors of this daemon. */
  readonly drift: readonly DriftRow[]
  readonly detectorProcesses: {
    readonly ready: number
    readonly busy: number
    readonly size: number
    /** Whether they run in a cage of bubblewrap; absent in answers of an older daemon. */
    readonly caged?: boolean
  } | null
  /** Local Unix ms of the last inference; null: none yet. */
  readonly lastInferenceAt: number | null
  /** Settings in force, secrets masked. */
  readonly settings: readonly { readonly name: string; readonly value: string; readonly origin: string }[]
}
