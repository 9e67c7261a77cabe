import { reloadDetectors } from '../daemon/reload-detectors.js'
import type { Roles } from '../daemon/roles.js'
import type { Fleet } from '../fleet/fleet.js'
import type { DaemonParts } from '../parts.js'
import type { DetectorRequest } from './detector-order.js'
import { orderDetectors } from './order-detectors.js'
import { orderFollower } from './order-follower.js'

/** How a daemon gives orders about detectors to its fleet, and follows them where it analyzes. */
export function orderingOf(
  { clock, metrics, options, queue, selection }: DaemonParts,
  roles: Pick<Roles, 'readiness' | 'detectorsChanged'>,
  fleet: Fleet,
) {
  const { log } = options
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
