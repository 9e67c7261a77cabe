import { createHash } from 'node:crypto'
import { z } from 'zod'

export const FAULT_ROUTES = [
  'ping',
  'time',
  'health',
  'list',
  'one',
  'stream',
  'score',
  'register',
  'upload',
  'keys',
  'challenge',
  'session',
  'owned',
  'gateway',
] as const
/** A kind of request, not a path: `time`, for one, is also the chain time of the wallet-session API. */
export type FaultRoute = (typeof FAULT_ROUTES)[number]

const STATUS_FAULTS = [
  'status-400',
  'status-401',
  'status-403',
  'status-404',
  'status-409',
  'status-429',
  'status-500',
  'status-502',
  'status-503',
] as const

/** Faults of any route, with what they do. `ms` is the rule's own time. */
const ANY_ROUTE_FAULTS = [
  ...STATUS_FAULTS,
  /** Redirects (302) to the same path on another origin. */
  'redirect',
  /** Handled in full, then the connection is destroyed instead of the reply. */
  'lost-reply',
  /** Handled in full, never answered. */
  'no-reply',
  /** Not handled, never answered. */
  'no-reply-not-stored',
  /** Not handled, the connection is destroyed. */
  'reset',
  /** Never answered; handled after `ms`, whether or not the client is still there. */
  'late-store',
  /** Handled at once, answered after `ms`. */
  'slow',
] as const

const JSON_FAULTS = [
  /** 200 with a body that is not JSON. */
  'garbage',
  /** 200 with JSON of another shape. */
  'wrong-shape',
  /** Half of the body, then the connection is destroyed. */
  'truncated',
] as const

const STREAM_FAULTS = [
  /** The connection is destroyed `ms` after the first snapshot. */
  'cut',
  /** Nothing more after `ready`, not even heartbeats; the connection stays. */
  'silence',
  /** Events that are not JSON, of another shape and of an unknown name; then as usual. */
  'garbage',
  /** One event of `bytes` bytes; then as usual. */
  'huge-event',
  /** `retry: 0`, then a clean end. */
  'retry-0',
  /** An `error` event; then as usual. */
  'error-event',
  /** As usual, but `new-open-assets` is never sent and snapshots only once. */
  'missed-events',
] as const

const GATEWAY_FAULTS = [
  /** One byte of the last block is wrong. */
  'bad-block',
  /** The body ends in the middle and the connection is destroyed. */
  'truncated',
  /** Blocks nobody asked for come first. */
  'junk-block',
  /** Headers, then nothing more. */
  'silence',
] as const

/** Every kind once, also one that several lists above have; which of them a route can show is in `faultsOf`. */
export const FAULT_KINDS = [
  ...new Set([...ANY_ROUTE_FAULTS, ...JSON_FAULTS, ...STREAM_FAULTS, ...GATEWAY_FAULTS]),
] as const
/** What it does depends on the route where several lists have it: `truncated` cuts JSON or a CAR. */
export type FaultKind = (typeof FAULT_KINDS)[number]

export function faultsOf(route: FaultRoute): readonly FaultKind[] {
  if (route === 'stream') return [...ANY_ROUTE_FAULTS, ...STREAM_FAULTS]
  if (route === 'gateway') return [...ANY_ROUTE_FAULTS, ...GATEWAY_FAULTS]
  return [...ANY_ROUTE_FAULTS, ...JSON_FAULTS]
}

const FaultRuleSchema = z
  .strictObject({
    route: z.enum(FAULT_ROUTES),
    fault: z.enum(FAULT_KINDS),
    /** Only requests of this key: an asset id, a CID with path, or the route's name. */
    key: z.string().optional(),
    /** Only these attempts, 1 is the first. */
    attempts: z.array(z.int().min(1)).optional(),
    /** Only attempts up to this one. */
    untilAttempt: z.int().min(1).optional(),
    /** Chance that a request which fits the above has the fault. */
    probability: z.number().min(0).max(1).default(1),
    /** Time of `slow`, `late-store`, `cut`, milliseconds. */
    ms: z.int().min(0).max(3_600_000).optional(),
    /** Size of `huge-event`, bytes. */
    bytes: z
      .int()
      .min(1)
      .max(256 * 1024 * 1024)
      .optional(),
    /** Retry-After of a status fault, seconds, sent as given. */
    retryAfterSeconds: z.number().min(0).optional(),
  })
  .refine((rule) => faultsOf(rule.route).includes(rule.fault), { error: 'the route cannot show this fault' })

/** What `--faults` and PUT /sandbox/faults take. The first rule that fits and whose chance comes up decides. */
export const FaultPlanSchema = z.strictObject({
  /** The same seed gives the same faults. */
  seed: z.string().default('0'),
  rules: z.array(FaultRuleSchema).max(1000).default([]),
})

/** A rule with its defaults filled in. Every condition that it states must hold. */
export type FaultRule = z.infer<typeof FaultRuleSchema>
/** A plan as people write it, defaults left out; `{}` injects nothing. */
export type FaultPlanInput = z.input<typeof FaultPlanSchema>
export type FaultPlan = z.infer<typeof FaultPlanSchema>

export interface FaultSubject {
  readonly route: FaultRoute
  /** Asset id, CID with path, or the route's name. */
  readonly key: string
  /** How often a request of this route and key was seen, this one included. */
  readonly attempt: number
}

/** A request that was made to fail, and by which rule: what tests and GET /sandbox/faults look up afterwards. */
export interface InjectedFault extends FaultSubject {
  readonly kind: FaultKind
  readonly rule: FaultRule
}

/** The fault of a request: a pure function of plan and subject, so the order of other requests does not matter. */
export function decideFault(plan: FaultPlan, subject: FaultSubject): InjectedFault | null {
  for (const [index, rule] of plan.rules.entries()) {
    if (applies(rule, subject) && draw(plan.seed, index, subject) < rule.probability) {
      return { ...subject, kind: rule.fault, rule }
    }
  }
  return null
}

function applies(rule: FaultRule, subject: FaultSubject): boolean {
  if (rule.route !== subject.route) return false
  if (rule.key !== undefined && rule.key !== subject.key) return false
  if (rule.attempts !== undefined && !rule.attempts.includes(subject.attempt)) return false
  return rule.untilAttempt === undefined || subject.attempt <= rule.untilAttempt
}

/** A number in [0, 1) of the seed and the subject; each rule draws its own. */
function draw(seed: string, ruleIndex: number, subject: FaultSubject): number {
  const text = JSON.stringify([seed, ruleIndex, subject.route, subject.key, subject.attempt])
  return createHash('sha256').update(text).digest().readUIntBE(0, 6) / 2 ** 48
}
