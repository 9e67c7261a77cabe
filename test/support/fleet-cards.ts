import type { DaemonCard } from '../../src/fleet/daemon-card.js'
import type { FleetDaemon } from '../../src/fleet/fleet-state.js'
import type { RecentRow } from '../../src/fleet/recent-rows.js'

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

/** A row of the last assets of which no more is known than that it was accepted. */
export function recentRow(change: Partial<RecentRow> = {}): RecentRow {
  return {
    at: 1,
    assetId: 'a',
    title: '',
    mediaType: 'image',
    outcome: 'accepted',
    risk: null,
    algorithm: null,
    scoreId: null,
    openToRecordMs: null,
    reason: null,
    ...change,
  }
}
