import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import type { Clock } from '../../core/clock.js'
import { AttestdError } from '../../core/errors.js'
import { isReason } from '../../core/reasons.js'
import type { FleetDaemon } from '../../fleet/fleet-state.js'
import type { QueueEngine } from '../../queue/queues.js'
import type { Fleet } from '../fleet/fleet.js'
import { type DetectorOrder, type DetectorRequest, nextOrder, readOrder } from './detector-order.js'

export const orderOutcome = z.object({
  daemon: z.string(),
  /** `done`, the reason why it kept the detectors that it had, or `no-answer`. */
  outcome: z.string(),
  message: z.string(),
  /** Kinds of media that are left without a detector there. */
  lost: z.array(z.string()),
})
type OrderOutcome = z.infer<typeof orderOutcome>

export interface OrderOptions {
  readonly queue: Pick<QueueEngine, 'claims' | 'fleet'>
  readonly fleet: Pick<Fleet, 'daemons'>
  readonly clock: Pick<Clock, 'monotonic' | 'sleep'>
  /** The last order that this daemon knows, where the queue has forgotten it. */
  readonly known: DetectorOrder | null
  /** Called when an order is on the queue, so that this daemon need not wait for its next look. */
  readonly onPlaced: () => void
}

const CLAIM = 'detector-order'
/** What all daemons have for it, ms; each starts and warms processes for every package. */
const ORDER_MS = 270_000
const LOOK_MS = 500

/**
 * Orders every daemon of the queue that analyzes to work with the same detectors, and waits until each has answered.
 * @throws AttestdError setting-invalid, queue-unreachable, or why all of them kept what they had
 */
export async function orderDetectors(request: DetectorRequest, options: OrderOptions): Promise<OrderOutcome[]> {
  const { clock, queue } = options
  const id = randomUUID()
  const until = clock.monotonic() + ORDER_MS
  // One after the other: each must see the outcome of the one before.
  while (!(await queue.claims.take(CLAIM, id, ORDER_MS))) {
    if (clock.monotonic() > until)
      throw new AttestdError('setting-invalid', 'Another models reload is still under way.')
    await clock.sleep(LOOK_MS)
  }
  try {
    return await place(request, id, until, options)
  } finally {
    await queue.claims.release(CLAIM, id)
  }
}

async function place(
  request: DetectorRequest,
  id: string,
  until: number,
  options: OrderOptions,
): Promise<OrderOutcome[]> {
  const { clock, fleet, known, onPlaced, queue } = options
  const last = readOrder(await queue.fleet.order()) ?? known
  const asked = analyzing(await fleet.daemons())
  if (asked.length === 0) throw new AttestdError('workers-missing', 'No daemon of this queue has the role analyze.')
  const settings = [...new Set(asked.flatMap(({ selection }) => (selection ? [selection.setting] : [])))]
  const order = nextOrder(last, request, { id, settings })
  await queue.fleet.setOrder(JSON.stringify(order))
  onPlaced()
  for (;;) {
    const isLate = clock.monotonic() > until
    const daemons = analyzing(await fleet.daemons())
    const outcomes = asked.flatMap(({ name }) => outcomeOf(name, daemons, id, isLate) ?? [])
    if (outcomes.length < asked.length) await clock.sleep(LOOK_MS)
    else if (outcomes.some(({ outcome }) => outcome === 'done')) return outcomes
    else {
      const { before = [], chosen = null } = last ?? {}
      // Nobody works with it, so nobody that starts later shall.
      await queue.fleet.setOrder(JSON.stringify({ ...order, chosen, before } satisfies DetectorOrder))
      throw refusal(outcomes[0]!)
    }
  }
}

/** @returns null while it is at work on it */
function outcomeOf(daemon: string, daemons: readonly FleetDaemon[], id: string, isLate: boolean): OrderOutcome | null {
  const found = daemons.find(({ name }) => name === daemon)
  const unanswered = (message: string) => ({ daemon, outcome: 'no-answer', message, lost: [] })
  if (!found?.selection) return unanswered('It stopped, or was lost.')
  const { lost, message, order, outcome } = found.selection
  if (order === id) return { daemon, outcome, message, lost }
  return isLate ? unanswered('It did not answer in time.') : null
}

function refusal({ daemon, message, outcome }: OrderOutcome): AttestdError {
  return isReason(outcome)
    ? new AttestdError(outcome, message)
    : new AttestdError('workers-missing', `${daemon}: ${message}`)
}

const analyzing = (daemons: readonly FleetDaemon[]) =>
  daemons.filter(({ roles, state }) => state === 'alive' && roles.includes('analyze'))
