import { duration } from '../../core/duration.js'
import { shortDigest } from './console-text.js'
import type { Backlog, FleetDaemon, FleetState, RetryingRow, Unserved } from './fleet-state.js'
import { type Html, html } from './html.js'

const STATE_TONE = { alive: 'ok', stopping: 'warn', lost: 'bad' } as const

/** All daemons on the queue, and the work ahead of them. */
export function fleetSection(fleet: FleetState | null): Html {
  if (!fleet) return html`<section class="wide"><h2>Fleet</h2><p class="bad">The queue does not answer.</p></section>`
  const { backlog, daemons, mixed } = fleet
  const rows = daemons.map((daemon) => daemonRow(daemon))
  return html`<section class="wide"><h2>Fleet</h2><table class="cards"><thead><tr><th scope="col">daemon</th><th scope="col">roles</th><th scope="col">state</th>
<th scope="col" class="num">jobs/s</th><th scope="col">version</th><th scope="col">detectors</th></tr></thead><tbody>${rows}</tbody></table>${mixedLines(mixed)}${backlogLines(backlog)}</section>`
}

function daemonRow({
  detectors,
  jobsPerSecond,
  name,
  pid,
  reasons,
  roles,
  state,
  lastSeenMs,
  version,
}: FleetDaemon): Html {
  const seen = state === 'alive' ? state : `${state}, last seen ${duration(lastSeenMs)} ago`
  const packages = detectors.map(
    ({ digest, id, shadow, version: its }) =>
      html`<code class="soft">${id} ${its}, ${shortDigest(digest)}${shadow ? ' (shadow)' : ''}</code><br>`,
  )
  const pace = Object.entries(jobsPerSecond).flatMap(([queue, rate]) =>
    rate === null ? [] : [`${queue} ${rate.toFixed(1)}`],
  )
  return html`<tr><td class="name" data-label="daemon">${name}<br><span class="soft">process ${pid}</span></td><td data-label="roles">${roles.join(' + ')}</td>
<td data-label="state"><span class="${STATE_TONE[state]}">${seen}</span>${reasons.map((reason) => html`<br><code class="bad">${reason}</code>`)}</td>
<td class="num line" data-label="jobs/s">${pace.length > 0 ? pace.join(', ') : '–'}</td><td data-label="version">${version}</td><td class="name" data-label="detectors">${packages.length > 0 ? packages : '–'}</td></tr>`
}

function mixedLines({ detectors, fingerprints, versions }: FleetState['mixed']): Html {
  return html`${versions.length > 0 ? html`<p class="warn">Mixed versions: ${versions.join(', ')}.</p>` : null}
${fingerprints.length > 0 ? html`<p class="bad">ATTESTD_FLEET_SECRET differs: ${fingerprints.join(', ')}.</p>` : null}
${detectors.length > 0 ? html`<p class="warn">Not the same on all that analyze: ${detectors.join(', ')}.</p>` : null}`
}

function backlogLines({ drainMs, missesAhead, retrying, rows, unserved }: Backlog): Html {
  const waiting = rows
    .filter(({ oldestMs }) => oldestMs !== null)
    .map((row) => `${row.queue} ${row.turnaround}: ${row.waiting}, the oldest for ${duration(row.oldestMs ?? 0)}`)
  return html`<p class="soft">Waiting: ${waiting.length > 0 ? waiting.join('; ') : 'nothing'}.
Time to drain: ${drainText(drainMs)}.</p>
${retrying.map((one) => html`<p class="warn">${retryingText(one)}</p>`)}
${unserved.map((one) => html`<p class="bad">${unservedText(one)}</p>`)}
${missesAhead > 0 ? html`<p class="bad">${missesText(missesAhead)}</p>` : null}`
}

/** The times to drain of queues in which something waits, or that there are none. */
export function drainText(drainMs: Backlog['drainMs']): string {
  const times = Object.entries(drainMs).filter(([, ms]) => ms !== 0)
  return (
    times.map(([queue, ms]) => `${queue} ${ms === null ? 'not known' : duration(ms)}`).join(', ') || 'nothing waits'
  )
}

/** The same sentence on the console and in `status --fleet`. */
export function retryingText({ jobs, nextTryInMs, queue, reason }: RetryingRow): string {
  const why = reason === null ? 'held' : `failed with ${reason}`
  return `Waiting for a retry in ${queue}: ${jobs}, ${why}; the next in ${duration(nextTryInMs)}.`
}

/** The same sentence on the console, in `status --fleet` and in `/readyz`. */
export function unservedText({ queue, waiting }: Unserved): string {
  const kind = /^analyze-(.+)$/.exec(queue)?.[1]
  if (!kind) return `Jobs waiting in the queue ${queue}: ${waiting}; no daemon on this queue has the role ${queue}.`
  const what = kind === 'unknown' ? ['of unknown kind', 'a detector'] : [`of kind ${kind}`, `a detector for ${kind}`]
  const waits = waiting === 1 ? `asset ${what[0]} waits` : `assets ${what[0]} wait`
  return `${waiting} ${waits}, and no daemon on this queue has ${what[1]}.`
}

/** The same sentence on the console and in `status --fleet`. */
export function missesText(missesAhead: number): string {
  return `${missesAhead} ${missesAhead === 1 ? 'asset' : 'assets'} will miss the deadline at this rate.`
}
