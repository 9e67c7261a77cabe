import type { DaemonCard } from '../../src/fleet/daemon-card.js'
import type { FleetDaemon } from '../../src/fleet/fleet-state.js'

const nothing = { analyze: null, submit: null }

/** What a daemon announces that has done nothing yet. */
export function cardOf(change: Partial<DaemonCard> = {}): DaemonCard {
  return {
    name: 'm:1',
    machine: 'm',
    pid: 1,
    version: '0.1.0',
    roles: ['analyze'],
    stopping: false,
    detectors: [],
    canaries: [],
    kinds: {},
    commandFlags: [],
    jobsPerSecond: nothing,
    capacity: nothing,
    reasons: [],
    selection: null,
    ...change,
  }
}

/** The same, as the others know it. */
export function daemonOf(change: Partial<FleetDaemon> = {}): FleetDaemon {
  const { stopping: _, ...card } = cardOf()
  return { ...card, state: 'alive', lastSeenMs: 0, ...change }
}
