import { z } from 'zod'
import type { ComparisonRow } from './comparison-row.js'
import { fleetState } from './fleet-state.js'
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

export const runningDetector = z.object({
  id: z.string(),
  version: z.string(),
  title: z.string(),
  mediaTypes: z.array(z.string()).readonly(),
  digest: z.string(),
  weight: z.number(),
  /** Measured on live work, never submitted. */
  shadow: z.boolean(),
  /** Percent of the assets that it scores as a candidate. */
  canary: z.number().optional(),
  /** A shadow because no list names it. */
  unlisted: z.boolean().optional(),
})

/** What the verbs read of the state of a running daemon. */
export const verbState = z.object({
  version: z.string(),
  roles: z.array(z.string()).readonly(),
  service: z.string(),
  queueEngine: z.string(),
  draining: z.boolean(),
  /** Share of machine-made media that risks are stated for, 0 to 1. */
  expectedShare: z.number(),
  queues: z
    .array(
      z.object({
        name: z.string(),
        paused: z.boolean(),
        waiting: z.number(),
        active: z.number(),
        delayed: z.number(),
        failed: z.number(),
        completed: z.number(),
      }),
    )
    .readonly(),
  /** All daemons on the queue; null while the queue is away. */
  fleet: fleetState.nullable(),
  detectors: z.array(runningDetector).readonly(),
  /** Which detectors are chosen, and by whose word; null where the daemon does not analyze. */
  selection: z.object({ setting: z.string(), chosen: z.string().nullable() }).nullable(),
})

/** The daemon's state as the console and `/status` show it; the app puts it together. Numbers of wei are decimal strings. */
export interface DaemonState extends Readonly<z.infer<typeof verbState>> {
  readonly name: string
  /** What a verb needs to find the settings of this daemon, such as `--config FILE`. */
  readonly commandFlags: readonly string[]
  /** Local Unix ms. */
  readonly startedAt: number
  readonly pid: number
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
  /** Absent where no shadow detector has had anything to do. */
  readonly shadows?: { readonly rows: readonly ShadowRow[]; readonly dropped: number }
  /** What the candidates did since the start, on this daemon. */
  readonly canaries: readonly ComparisonRow[]
  readonly drift: readonly DriftRow[]
  readonly detectorProcesses: {
    readonly ready: number
    readonly busy: number
    readonly size: number
    /** Whether they run in a cage of bubblewrap. */
    readonly caged: boolean
  } | null
  /** Local Unix ms of the last inference; null: none yet. */
  readonly lastInferenceAt: number | null
  /** Settings in force, secrets masked. */
  readonly settings: readonly { readonly name: string; readonly value: string; readonly origin: string }[]
}
