import type { DetectorChoice } from '../../detect/package/selection.js'
import type { QueueEngine } from '../../queue/queues.js'
import { readOrder } from './detector-order.js'
import type { DetectorSelection } from './detector-selection.js'

/** What a daemon that analyzes follows orders with. */
export interface FollowerOptions {
  readonly queue: Pick<QueueEngine, 'fleet'>
  readonly selection: DetectorSelection
  /** Resolves with the kinds of media that are left without a detector. */
  readonly reload: (choices: DetectorChoice[]) => Promise<string[]>
  /** Called after each look, so that the others need not wait for the next announcement. */
  readonly announce: () => Promise<void>
}

/** @returns looks whether there is a new order, and carries it out; one look at a time. While the queue is away there is none. */
export function orderFollower({ announce, queue, reload, selection }: FollowerOptions): () => Promise<void> {
  let looking: Promise<void> | null = null
  const look = async () => {
    const before = selection.state.order
    await selection.follow(readOrder(await queue.fleet.order()), reload)
    if (selection.state.order !== before) await announce()
  }
  return () => {
    // The engine reports its own trouble.
    looking ??= look()
      .catch(() => {})
      .finally(() => {
        looking = null
      })
    return looking
  }
}
