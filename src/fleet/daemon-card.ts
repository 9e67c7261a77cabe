import { z } from 'zod'
import { readJson } from '../core/text.js'
import { comparisonRow, MAX_COMPARED } from './comparison-row.js'

const text = (max: number) => z.string().max(max)
const perSecond = z.number().nonnegative().nullable()

/** What a daemon announces of itself on the queue; another release may have written it. */
export const daemonCard = z.object({
  /** Machine and port: the same after a restart, and never the same twice at once. */
  name: text(300),
  machine: text(255),
  pid: z.number().int(),
  version: text(50),
  roles: z.array(text(20)).max(10),
  stopping: z.boolean(),
  detectors: z
    .array(
      z.object({
        id: text(200),
        version: text(50),
        digest: text(64),
        shadow: z.boolean(),
        /** Percent of the assets that it scores as a candidate. */
        canary: z.number().optional(),
      }),
    )
    .max(100),
  /** What its candidates did since its start. */
  canaries: z.array(comparisonRow).max(MAX_COMPARED),
  /**
   * The analyze queues that it takes jobs from, each with the jobs a second that it could do of that kind alone; null
   * where there were none.
   */
  kinds: z.record(text(50), perSecond),
  /** Jobs that ended in the last minute, a second; null for a queue that it does not work on, and once it is lost. */
  jobsPerSecond: z.object({ analyze: perSecond, submit: perSecond }),
  /** Jobs a second that it can do, by how long the last ones took; null where there were none. */
  capacity: z.object({ analyze: perSecond, submit: perSecond }),
  /** Fingerprint of its fleet secret; absent without one. */
  fingerprint: text(20).optional(),
  /** What a verb on its machine needs to find its settings, such as `--config FILE`. */
  commandFlags: z.array(text(5000)).max(10),
  /** The reasons of its `/readyz`, warnings too. */
  reasons: z.array(text(100)).max(50),
  /** How it stands to the last order of `models reload`; null where it does not analyze. */
  selection: z
    .object({
      /** Text of its own ATTESTD_DETECTORS. */
      setting: text(10_000),
      /** What it works with in its place; null: with the setting. */
      chosen: text(10_000).nullable(),
      /** The last order that it has dealt with. */
      order: text(100).nullable(),
      /** `done`, or the reason why it kept the detectors that it had. */
      outcome: text(100),
      message: z.string(),
      /** Kinds of media that the order left without a detector there. */
      lost: z.array(text(50)).max(10),
    })
    .nullable(),
})
/** A daemon's own word about itself. */
export type DaemonCard = z.infer<typeof daemonCard>
export type SelectionState = NonNullable<DaemonCard['selection']>

/** @returns null for a text that is no card */
export const readCard = (json: string): DaemonCard | null => readJson(daemonCard, json)
