import { z } from 'zod'
import { canaryRow } from '../../observe/console/canary-row.js'

const rate = z.number().nullable()

/** The fleet as `/status` states it; the daemon that answers may be of another release. */
export const fleetReply = z.object({
  daemons: z.array(
    z.object({
      name: z.string(),
      machine: z.string(),
      pid: z.number(),
      version: z.string(),
      roles: z.array(z.string()),
      state: z.string(),
      lastSeenMs: z.number(),
      detectors: z.array(z.object({ id: z.string(), version: z.string(), digest: z.string(), shadow: z.boolean() })),
      jobsPerSecond: z.object({ analyze: rate, submit: rate }),
      reasons: z.array(z.string()),
      canaries: z.array(canaryRow).optional(),
    }),
  ),
  mixed: z.object({
    versions: z.array(z.string()),
    detectors: z.array(z.string()),
    fingerprints: z.array(z.string()).default([]),
  }),
  backlog: z.object({
    rows: z.array(
      z.object({ queue: z.string(), turnaround: z.string(), waiting: z.number(), oldestMs: z.number().nullable() }),
    ),
    drainMs: z.record(z.string(), rate),
    missesAhead: z.number(),
    retrying: z
      .array(z.object({ queue: z.string(), reason: z.string().nullable(), jobs: z.number(), nextTryInMs: z.number() }))
      .default([]),
    unserved: z.array(z.object({ queue: z.string(), waiting: z.number() })).default([]),
  }),
})
/** All daemons on the queue and the work ahead of them; see `FleetState`. */
export type FleetReply = z.infer<typeof fleetReply>
