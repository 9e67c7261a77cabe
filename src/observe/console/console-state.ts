import type { Risk } from '../../core/risk.js'
import type { CanaryRow } from './canary-row.js'
import type { DriftRow } from './drift-row.js'
import type { FleetState } from './fleet-state.js'

/** What can become of an asset. */
export const OUTCOMES = ['verdict', 'accepted', 'confirmed', 'foreign', 'abstained', 'closed', 'failed'] as const
/** Most rows that the page and `/status` show; the page looks for others in all that it is given. */
export const SHOWN_ROWS = 50

/** What became of one asset, as a row of the console. */
export interface RecentRow {
  /** Local Unix ms. */
  readonly at: number
  readonly assetId: string
  readonly title: string
  readonly mediaType: string
  readonly outcome: (typeof OUTCOMES)[number]
  /** Null where there is no verdict. */
  readonly risk: Risk | null
  /** Detector id and version; null where none ran. */
  readonly algorithm: string | null
  /** Id of the score record; null where there is none. */
  readonly scoreId: string | null
  /** Time from first sight to the score on record, milliseconds; null where there is none. */
  readonly openToRecordMs: number | null
  /** Reason code where the asset got no score. */
  readonly reason: string | null
  /** What happened, where the asset got no score. */
  readonly message?: string | null | undefined
  /** Whose job it was; absent where the outcome states it. */
  readonly queue?: 'analyze' | 'submit' | undefined
  /** Name of the daemon that did it, where it is known. */
  readonly daemon?: string | undefined
}

/** Depth of one queue. */
export interface QueueRow {
  readonly name: string
  /** Whether somebody has paused it. */
  readonly paused: boolean
  readonly waiting: number
  readonly active: number
  readonly delayed: number
  readonly failed: number
  readonly completed: number
}

/** The results of a shadow detector since the start. */
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

/** The daemon's state as the console and `/status` show it; the app puts it together. Numbers of wei are decimal strings. */
export interface ConsoleState {
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
  /** Whether the daemon is stopping. */
  readonly draining: boolean
  readonly queues: readonly QueueRow[]
  /** All daemons on the queue; null while the queue is away. */
  readonly fleet: FleetState | null
  /** Of the whole fleet, newest first. */
  readonly recent: readonly RecentRow[]
  readonly stake: {
    /** As last stated; it may be older than the refusal that `reason` names. */
    readonly stakedWei: string
    readonly minStakeWei: string
    readonly enough: boolean
    /** What keeps the wallet from scoring. */
    readonly reason: string | null
  } | null
  readonly clock: {
    readonly offsetMs: number | null
    readonly errorBoundMs: number | null
    readonly trusted: boolean
    /** What is wrong with the clocks. */
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
    /** Share in an ensemble. */
    readonly weight?: number
    /** Percent of the assets that it scores as a candidate. */
    readonly canary?: number | undefined
  }[]
  /** Which detectors are chosen, and by whose word; null where the daemon does not analyze. */
  readonly selection: {
    /** Text of the setting ATTESTD_DETECTORS. */
    readonly setting: string
    /** What `models reload` chose in its place; null: the setting counts. */
    readonly chosen: string | null
  } | null
  /** Absent where no shadow detector has had anything to do. */
  readonly shadows?: { readonly rows: readonly ShadowRow[]; readonly dropped: number }
  /** What the candidates did since the start, on this daemon. */
  readonly canaries: readonly CanaryRow[]
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
