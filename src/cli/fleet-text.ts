import { duration } from '../core/duration.js'
import { shortDigest } from '../core/text.js'
import { drainText, missesText, ratesText, retryingText, unservedText } from '../fleet/backlog-text.js'
import type { FleetDaemon, FleetState } from '../fleet/fleet-state.js'
import { type Column, table } from './terminal/table.js'

const COLUMNS: readonly Column<FleetDaemon>[] = [
  { title: 'daemon', min: 20, of: ({ name }) => name },
  { title: 'roles', drop: 1, of: ({ roles }) => roles.join('+') },
  { title: 'state', of: ({ state }) => state },
  { title: 'last seen', of: ({ lastSeenMs }) => `${duration(lastSeenMs)} ago` },
  { title: 'jobs/s', drop: 2, of: ratesText },
  { title: 'version', drop: 3, of: ({ version }) => version },
  { title: 'detectors', drop: 4, of: packagesText },
  { title: 'reasons', min: 16, of: ({ reasons }) => reasons.join(' ') },
]

/** All daemons on the queue as the lines of a table, what differs between them, and the work ahead. */
export function fleetLines({ backlog, daemons, mixed }: FleetState): string[] {
  const lines = table(daemons, COLUMNS).split('\n')
  if (mixed.versions.length > 0) lines.push(`Mixed versions: ${mixed.versions.join(', ')}`)
  if (mixed.fingerprints.length > 0) lines.push(`ATTESTD_FLEET_SECRET differs: ${mixed.fingerprints.join(', ')}`)
  if (mixed.detectors.length > 0) lines.push(`Not the same on all that analyze: ${mixed.detectors.join(', ')}`)
  for (const { oldestMs, queue, turnaround, waiting } of backlog.rows) {
    if (oldestMs !== null)
      lines.push(`${queue} ${turnaround}: ${waiting} waiting, the oldest for ${duration(oldestMs)}`)
  }
  lines.push(`time to drain: ${drainText(backlog.drainMs)}`)
  lines.push(...backlog.retrying.map(retryingText), ...backlog.unserved.map(unservedText))
  if (backlog.missesAhead > 0) lines.push(missesText(backlog.missesAhead))
  return lines
}

function packagesText({ detectors }: FleetDaemon): string {
  const named = detectors.map(
    ({ digest, id, shadow, version }) => `${id}@${version} ${shortDigest(digest)}${shadow ? ' shadow' : ''}`,
  )
  return named.join(', ')
}
