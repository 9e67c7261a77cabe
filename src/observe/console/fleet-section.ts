import { duration } from '../../core/duration.js'
import { shortDigest } from '../../core/text.js'
import { drainText, missesText, ratesText, retryingText, unservedText } from '../../fleet/backlog-text.js'
import type { Backlog, FleetDaemon, FleetState } from '../../fleet/fleet-state.js'
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

function daemonRow(daemon: FleetDaemon): Html {
  const { detectors, lastSeenMs, name, pid, reasons, roles, state, version } = daemon
  const seen = state === 'alive' ? state : `${state}, last seen ${duration(lastSeenMs)} ago`
  const packages = detectors.map(
    ({ digest, id, shadow, version: its }) =>
      html`<code class="soft">${id} ${its}, ${shortDigest(digest)}${shadow ? ' (shadow)' : ''}</code><br>`,
  )
  return html`<tr><td class="name" data-label="daemon">${name}<br><span class="soft">process ${pid}</span></td><td data-label="roles">${roles.join(' + ')}</td>
<td data-label="state"><span class="${STATE_TONE[state]}">${seen}</span>${reasons.map((reason) => html`<br><code class="bad">${reason}</code>`)}</td>
<td class="num line" data-label="jobs/s">${ratesText(daemon) || '–'}</td><td data-label="version">${version}</td><td class="name" data-label="detectors">${packages.length > 0 ? packages : '–'}</td></tr>`
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
