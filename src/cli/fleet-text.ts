import { duration } from '../core/duration.js'
import { drainText, missesText, retryingText, unservedText } from '../fleet/backlog-text.js'
import type { FleetDaemon, FleetState } from '../fleet/fleet-state.js'
import { table } from './terminal/table.js'

/** First hex characters of a digest, enough to compare by eye. */
const DIGEST = 12

const COLUMNS = [
  { title: 'daemon', min: 20 },
  { title: 'roles', drop: 1 },
  { title: 'state' },
  { title: 'last seen' },
  { title: 'jobs/s', drop: 2 },
  { title: 'version', drop: 3 },
  { title: 'detectors', drop: 4 },
  { title: 'reasons', min: 16 },
]

/** All daemons on the queue as the lines of a table, what differs between them, and the work ahead. */
export function fleetLines({ backlog, daemons, mixed }: FleetState): string[] {
  const lines = table(COLUMNS, daemons.map(cells)).split('\n')
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

function cells({ detectors, jobsPerSecond, lastSeenMs, name, reasons, roles, state, version }: FleetDaemon) {
  const rates = Object.entries(jobsPerSecond).flatMap(([queue, rate]) =>
    rate === null ? [] : [`${queue} ${rate.toFixed(1)}`],
  )
  const packages = detectors.map(
    (one) => `${one.id}@${one.version} ${one.digest.slice(0, DIGEST)}${one.shadow ? ' shadow' : ''}`,
  )
  return [
    name,
    roles.join('+'),
    state,
    `${duration(lastSeenMs)} ago`,
    rates.join(', '),
    version,
    packages.join(', '),
    reasons.join(' '),
  ]
}
