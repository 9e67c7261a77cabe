import { randomUUID } from 'node:crypto'
import type { Clock } from '../../core/clock.js'
import { AttestdError } from '../../core/errors.js'
import { isReason } from '../../core/reasons.js'
import type { FleetDaemon } from '../../observe/console/fleet-state.js'
import type { QueueEngine } from '../../queue/queues.js'
import type { Fleet } from '../fleet/fleet.js'
import { type DetectorOrder, type DetectorRequest, nextOrder, readOrder } from './detector-order.js'

/** What became of an order on one daemon. */
export interface OrderOutcome {
  readonly daemon: string
  /** `done`, the reason why it kept the detectors that it had, or `no-answer`. */
  readonly outcome: string
  readonly message: string
  /** Kinds of media that are left without a detector there. */
  readonly lost: readonly string[]
}

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
 * Tells every daemon of the queue that analyzes which detectors to work with, and waits until each has answered.
 * @throws AttestdError setting-invalid, queue-unreachable, or why all of them kept what they had
 */
export async function orderDetectors(request: DetectorRequest, options: OrderOptions): Promise<OrderOutcome[]> {
  const { clock, queue } = options
  const id = randomUUID()
  const until = clock.monotonic() + ORDER_MS
  // One after the other: each must see the outcome of the one before.
  while (!(await queue.claims.take(CLAIM, id, ORDER_MS))) await nextLook(until, options)
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
  const { fleet, known, onPlaced, queue } = options
  const last = readOrder(await queue.fleet.order()) ?? known
  const asked = analyzing(await fleet.daemons())
  if (asked.length === 0) throw new AttestdError('workers-missing', 'No daemon of this queue has the role analyze.')
  const settings = [...new Set(asked.flatMap(({ selection }) => (selection ? [selection.setting] : [])))]
  const order = nextOrder(last, request, { id, settings })
  await queue.fleet.setOrder(JSON.stringify(order))
  onPlaced()
  const outcomes = await answers(
    asked.map(({ name }) => name),
    id,
    until,
    options,
  )
  const [first] = outcomes
  if (first && outcomes.every(({ outcome }) => outcome !== 'done')) {
    const { before = [], chosen = null } = last ?? {}
    // Nobody works with it, so nobody that starts later shall.
    await queue.fleet.setOrder(JSON.stringify({ ...order, chosen, before } satisfies DetectorOrder))
    throw refusal(first)
  }
  return outcomes
}

async function answers(names: string[], id: string, until: number, options: OrderOptions): Promise<OrderOutcome[]> {
  for (;;) {
    const daemons = analyzing(await options.fleet.daemons())
    const outcomes = names.map((name) =>
      outcomeOf(
        name,
        daemons.find((one) => one.name === name),
        id,
      ),
    )
    if (outcomes.every((one) => one !== null)) return outcomes
    const isLate = options.clock.monotonic() > until
    if (isLate) return outcomes.map((one, nth) => one ?? noAnswer(names[nth]!, 'It did not answer in time.'))
    await options.clock.sleep(LOOK_MS)
  }
}

/** @returns null while it is at work on it */
function outcomeOf(daemon: string, found: FleetDaemon | undefined, id: string): OrderOutcome | null {
  if (!found) return noAnswer(daemon, 'It stopped, or was lost.')
  const { selection } = found
  if (!selection) return noAnswer(daemon, 'It is of a release that takes no orders.')
  if (selection.order !== id) return null
  const { lost, message, outcome } = selection
  return { daemon, outcome, message, lost }
}

const noAnswer = (daemon: string, message: string): OrderOutcome => ({
  daemon,
  outcome: 'no-answer',
  message,
  lost: [],
})

function refusal({ daemon, message, outcome }: OrderOutcome): AttestdError {
  return isReason(outcome)
    ? new AttestdError(outcome, message)
    : new AttestdError('workers-missing', `${daemon}: ${message}`)
}

const analyzing = (daemons: readonly FleetDaemon[]) =>
  daemons.filter(({ roles, state }) => state === 'alive' && roles.includes('analyze'))

async function nextLook(until: number, { clock }: OrderOptions): Promise<void> {
  if (clock.monotonic() > until) throw new AttestdError('setting-invalid', 'Another models reload is still under way.')
  await clock.sleep(LOOK_MS)
}
