import { type DaemonCard, readCard } from './daemon-card.js'
import type { FleetDaemon, FleetState } from './fleet-state.js'
import type { Announcement } from './fleet-store.js'

/** A daemon announces itself every second; one that was not heard of for so long counts as lost, ms. */
export const LOST_AFTER_MS = 3000

/**
 * Who is on the queue, by name: this daemon by its own word, the others by theirs. What cannot be read is passed over. A
 * lost run is left out once a daemon of its name is there again; of several of one name the last has a row.
 */
export function knownDaemons(
  announced: readonly Announcement[],
  self: { readonly id: string; readonly card: DaemonCard },
): FleetDaemon[] {
  const others = announced.flatMap(({ id, text, agoMs }) => {
    const card = id === self.id ? null : readCard(text)
    return card ? [knownDaemon(card, agoMs)] : []
  })
  const all = [knownDaemon(self.card, 0), ...others]
  const ordered = all.toSorted((a, b) => a.name.localeCompare(b.name) || a.lastSeenMs - b.lastSeenMs)
  return ordered.filter(({ name, state }, nth) => state !== 'lost' || ordered[nth - 1]?.name !== name)
}

function knownDaemon({ stopping, ...card }: DaemonCard, lastSeenMs: number): FleetDaemon {
  const here = stopping ? 'stopping' : 'alive'
  if (lastSeenMs <= LOST_AFTER_MS) return { ...card, state: here, lastSeenMs }
  // What it was doing states nothing about now.
  return { ...card, state: 'lost', lastSeenMs, jobsPerSecond: { analyze: null, submit: null }, reasons: [] }
}

/** Versions, detectors and secrets that are not the same on all daemons that are alive. */
export function mixedOf(daemons: readonly FleetDaemon[]): FleetState['mixed'] {
  const alive = daemons.filter(({ state }) => state === 'alive')
  const versions = [...new Set(alive.map(({ version }) => version))].sort()
  const analyzing = alive.filter(({ roles }) => roles.includes('analyze'))
  const ids = [...new Set(analyzing.flatMap(({ detectors }) => detectors.map(({ id }) => id)))].sort()
  const asOn = (daemon: FleetDaemon, id: string) => {
    const found = daemon.detectors.find((one) => one.id === id)
    return found ? `${found.digest} ${found.shadow} ${found.canary}` : 'absent'
  }
  const kindsOf = ({ kinds }: FleetDaemon) => Object.keys(kinds).sort().join()
  const differs = (id: string) => {
    const having = analyzing.filter(({ detectors }) => detectors.some((one) => one.id === id))
    // Those that work on other kinds of media need not have it.
    const kinds = new Set(having.map(kindsOf))
    const compared = analyzing.filter((daemon) => kinds.has(kindsOf(daemon)))
    return new Set(compared.map((daemon) => asOn(daemon, id))).size > 1
  }
  const keys = alive.map(({ fingerprint, name }) => `${name} ${fingerprint ?? 'none'}`)
  const fingerprints = new Set(alive.map(({ fingerprint }) => fingerprint)).size > 1 ? keys : []
  return { versions: versions.length > 1 ? versions : [], detectors: ids.filter(differs), fingerprints }
}

export function workersOf(daemons: readonly FleetDaemon[], queue: string): FleetDaemon[] {
  const alive = daemons.filter(({ state }) => state === 'alive')
  return alive.filter(({ kinds, roles }) => (queue === 'submit' ? roles.includes(queue) : queue in kinds))
}
