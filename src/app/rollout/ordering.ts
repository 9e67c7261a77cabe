import { SharedReading } from '../../core/shared-reading.js'
import type { DetectorChoice } from '../../detect/package/selection.js'
import type { QueueEngine } from '../../queue/queues.js'
import { reloadDetectors } from '../daemon/reload-detectors.js'
import type { Roles } from '../daemon/roles.js'
import type { Fleet } from '../fleet/fleet.js'
import type { DaemonParts } from '../parts.js'
import { type DetectorRequest, readOrder } from './detector-order.js'
import type { DetectorSelection } from './detector-selection.js'
import { orderDetectors } from './order-detectors.js'

/** How a daemon gives orders about detectors to its fleet, and follows them where it analyzes. */
export function orderingOf(
  { clock, log, metrics, queue, selection }: DaemonParts,
  roles: Pick<Roles, 'readiness' | 'detectorsChanged'>,
  fleet: Fleet,
) {
  const { detectors } = roles.readiness
  const follow = detectors
    ? orderFollower({
        queue,
        selection,
        reload: async (choices) => (await reloadDetectors(detectors, roles, { log, metrics }, choices)).lost,
        announce: () => fleet.announce(),
      })
    : async () => {}
  const give = async (request: DetectorRequest) => {
    const known = selection.order
    const daemons = await orderDetectors(request, { queue, fleet, clock, known, onPlaced: () => void follow() })
    return { detectors: detectors?.detectors ?? [], daemons }
  }
  return {
    follow,
    control: {
      reload: ({ detectors: chosen }: { detectors?: string | undefined }) =>
        give({ kind: 'reload', detectors: chosen }),
      rollback: () => give({ kind: 'rollback' }),
    },
  }
}

interface FollowerOptions {
  readonly queue: Pick<QueueEngine, 'fleet'>
  readonly selection: DetectorSelection
  /** Resolves with the kinds of media that are left without a detector. */
  readonly reload: (choices: DetectorChoice[]) => Promise<string[]>
  /** Called after an order, so that the others need not wait for the next announcement. */
  readonly announce: () => Promise<void>
}

/** @returns looks whether there is a new order, and carries it out; one look at a time. While the queue is away there is none. */
export function orderFollower({ announce, queue, reload, selection }: FollowerOptions): () => Promise<void> {
  const looks = new SharedReading<void>()
  const look = async () => {
    const before = selection.order
    await selection.follow(readOrder(await queue.fleet.order()), reload)
    if (selection.order !== before) await announce()
  }
  // The engine reports its own trouble.
  return () => looks.share(look).catch(() => {})
}
