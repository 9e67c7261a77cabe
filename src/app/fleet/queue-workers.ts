import type { FleetDaemon, Unserved } from '../../observe/console/fleet-state.js'
import type { QueueEngine, QueueName } from '../../queue/queues.js'

/** The daemons that are alive and take jobs of this queue. */
export function workersOf(daemons: readonly FleetDaemon[], name: QueueName): FleetDaemon[] {
  const alive = daemons.filter(({ state }) => state === 'alive')
  return alive.filter(({ kinds = {}, roles }) => (name === 'submit' ? roles.includes(name) : name in kinds))
}

/** Those of the queues in which jobs wait that no daemon takes. @throws AttestdError queue-unreachable */
export async function unserved(
  queue: Pick<QueueEngine, 'counts'>,
  daemons: readonly FleetDaemon[],
  among: readonly QueueName[],
): Promise<Unserved[]> {
  const waiting = await waitingIn(
    queue,
    among.filter((name) => workersOf(daemons, name).length === 0),
  )
  return waiting.filter((one) => one.waiting > 0)
}

/** With those that wait for another try: without a worker nobody moves them forward. */
export function waitingIn(queue: Pick<QueueEngine, 'counts'>, names: readonly QueueName[]): Promise<Unserved[]> {
  return Promise.all(
    names.map(async (name) => {
      const { delayed, waiting } = await queue.counts(name)
      return { queue: name, waiting: waiting + delayed }
    }),
  )
}
