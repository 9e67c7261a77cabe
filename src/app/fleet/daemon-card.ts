import { z } from 'zod'
import { canaryRow } from '../../observe/console/canary-row.js'

const text = (max: number) => z.string().max(max)
const perSecond = z.number().nonnegative().nullable()

/** What a daemon announces of itself on the queue; another release may have written it. */
export const daemonCard = z.object({
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
        canary: z.number().optional(),
      }),
    )
    .max(100),
  canaries: z.array(canaryRow).max(50).optional(),
  /**
   * The analyze queues that it takes jobs from, each with the jobs a second that it could do of that kind alone; null
   * where there were none. Absent of a release that had one queue for all kinds.
   */
  kinds: z.record(text(50), perSecond).optional(),
  /** Jobs that ended in the last minute, a second. */
  jobsPerSecond: z.object({ analyze: perSecond, submit: perSecond }),
  /** Jobs a second that it can do, by how long the last ones took; null where there were none. */
  capacity: z.object({ analyze: perSecond, submit: perSecond }),
  /** Fingerprint of its fleet secret; absent without one, and of a release that has none. */
  fingerprint: text(20).optional(),
  reasons: z.array(text(100)).max(50),
  /** See `SelectionState`. */
  selection: z
    .object({
      setting: text(10_000),
      chosen: text(10_000).nullable(),
      order: text(100).nullable(),
      outcome: text(100),
      message: z.string(),
      lost: z.array(text(50)).max(10),
    })
    .nullish(),
})
/** A daemon's own word about itself. */
export type DaemonCard = z.infer<typeof daemonCard>

/** @returns null for a text that is no card */
export function readCard(json: string): DaemonCard | null {
  try {
    return daemonCard.safeParse(JSON.parse(json)).data ?? null
  } catch {
    return null
  }
}
