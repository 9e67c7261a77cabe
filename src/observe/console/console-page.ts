import { duration, milliseconds } from '../../core/duration.js'
import { shortEther } from '../../core/ether.js'
import { shortDigest } from '../../core/text.js'
import { type ComparisonRow, canaryText } from '../../fleet/comparison-row.js'
import type { DaemonState } from '../../fleet/daemon-state.js'
import { checkSign, type Readiness } from '../health.js'
import { CONSOLE_REFRESH_S, CONSOLE_STYLE } from './console-assets.js'
import { driftLines } from './drift-row.js'
import { fleetSection } from './fleet-section.js'
import type { HistoryDocument } from './history-document.js'
import { Html, html } from './html.js'
import { plotsSection } from './plots-section.js'
import type { RecentFilter } from './recent-filter.js'
import { recentSection } from './recent-section.js'

/** What one view of the console is made from, in addition to the state. */
export interface ConsoleView {
  readonly history: HistoryDocument
  /** Which of the last assets are shown. */
  readonly filter: RecentFilter
  /** Whether unsure assets can be decided here. @default false */
  readonly hasReview?: boolean
  /** Local Unix ms, for ages. */
  readonly now: number
}

/**
 * The console: one page with readiness, queues, gates, the last hour, detectors and what became of the last assets.
 * Everything is escaped, nothing is loaded from another site, and it works without scripts. What carries `data-live` is
 * kept fresh by `browser/follow.js`.
 */
export function consolePage(state: DaemonState, readiness: Readiness, view: ConsoleView): string {
  const { filter, history, now } = view
  const page = html`<!doctype html>
<html lang="en" data-release="${state.version}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="robots" content="noindex"><title>attestd: ${stateWord(state, readiness)}</title><link rel="icon" href="${ICON}">
<noscript><meta http-equiv="refresh" content="${CONSOLE_REFRESH_S}"></noscript>
<link rel="stylesheet" href="/console/uplot.css"><style>${new Html(CONSOLE_STYLE)}</style>
<script src="/console/uplot.js" defer></script><script src="/console/plots.js" type="module"></script><script src="/console/follow.js" type="module"></script></head>
<body>${header(state, readiness, view)}
<main>
<div class="grid" id="now" data-live>${[checks(readiness), queues(state), gates(state)]}</div>
${plotsSection(history)}
<div id="fleet" data-live>${fleetSection(state.fleet)}</div>
${recentSection(state, filter, now)}
<div class="grid" id="parts" data-live>${[detectors(state, now), settings(state)]}</div>
</main>
<footer id="updated" data-live>As of ${new Date(now).toISOString().slice(0, 19).replace('T', ' ')} UTC</footer></body></html>`
  return page.text
}

const ICON =
  "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'><circle cx='8' cy='8' r='6.5' fill='none' stroke='%231f5fbf' stroke-width='2'/><path d='M5 8.2l2.2 2.2L11.2 6' fill='none' stroke='%231f5fbf' stroke-width='2'/></svg>"

function stateWord(state: DaemonState, { ready }: Readiness): string {
  if (state.draining) return 'stopping'
  return ready ? 'ready' : 'not ready'
}

function header(state: DaemonState, readiness: Readiness, { hasReview = false, now }: ConsoleView): Html {
  const tone = readiness.ready && !state.draining ? 'ok' : 'bad'
  return html`<header><h1>attestd</h1><span class="state ${tone}" id="state" role="status" data-tone="${tone}">${stateWord(state, readiness)}</span>
<span class="soft" id="facts" data-live>${state.version}, up ${duration(now - state.startedAt)}, process ${state.pid}, ${state.roles.join(' + ')}, for ${state.service}</span>
<nav aria-label="Pages">${hasReview ? html`<a href="/review">Review</a>` : null}<a href="/queues">Queues</a><a href="/metrics">Metrics</a><a href="/status">Status</a><a href="/readyz">Readiness</a></nav></header>`
}

const TONES = { '✓': 'ok', '!': 'warn', '✗': 'bad' } as const

function checks({ checks }: Readiness): Html {
  const items = checks.map((check) => {
    const { name, reason, message, fix } = check
    const sign = checkSign(check)
    return html`<li><span class="${TONES[sign]}">${sign} ${name}</span> <span class="soft">${message}</span>
${reason ? html`<code class="fix">${reason}</code>` : null}${fix ? html`<span class="fix">${fix}</span>` : null}</li>`
  })
  const body = items.length > 0 ? html`<ul class="checks">${items}</ul>` : html`<p class="soft">Starting.</p>`
  return html`<section><h2>Readiness</h2>${body}</section>`
}

function queues({ queues, queueEngine }: DaemonState): Html {
  const rows = queues.map(
    (
      row,
    ) => html`<tr><th scope="row">${row.name}${row.paused ? html` <span class="bad">paused</span>` : null}</th><td class="num">${row.waiting}</td><td class="num">${row.active}</td>
<td class="num">${row.delayed}</td><td class="num ${row.failed > 0 ? 'bad' : ''}">${row.failed}</td><td class="num">${row.completed}</td></tr>`,
  )
  return html`<section><h2>Queues</h2><table><thead><tr><th scope="col">queue</th><th scope="col" class="num">waiting</th><th scope="col" class="num">active</th>
<th scope="col" class="num">delayed</th><th scope="col" class="num">failed</th><th scope="col" class="num">done</th></tr></thead><tbody>${rows}</tbody></table>
<p class="soft">Engine: ${queueEngine}</p></section>`
}

/** What submission and intake depend on; a daemon that only analyzes has none of it. */
function gates(state: DaemonState): Html | null {
  const submits = state.roles.includes('submit')
  if (!submits && !state.stream) return null
  return html`<section><h2>${submits ? 'Stake, clock, stream' : 'Stream'}</h2><dl>
${submits ? submissionLines(state) : null}${streamLines(state.stream)}</dl></section>`
}

function submissionLines({ clock, doppelgangers, stake }: DaemonState): Html {
  return html`<dt>Stake</dt><dd>${stake ? html`<span class="${stake.enough ? 'ok' : 'bad'}">${shortEther(stake.stakedWei)} ether</span>${troubleOf(stake)}` : 'not read yet'}</dd>
<dt>Minimum</dt><dd>${stake ? `${shortEther(stake.minStakeWei)} ether` : '–'}</dd>
<dt>Clock</dt><dd>${clock ? html`<span class="${clock.reason ? 'bad' : 'ok'}">${clockWord(clock)}</span>${troubleOf(clock)}` : '–'}</dd>
<dt>Offset</dt><dd>${clock && clock.offsetMs !== null ? `${milliseconds(clock.offsetMs)} ± ${milliseconds(clock.errorBoundMs)}` : '–'}</dd>
${doppelgangers ? doppelgangerLine(doppelgangers) : null}`
}

function streamLines(stream: DaemonState['stream']): Html {
  return html`<dt>Stream</dt><dd>${stream ? html`<span class="${stream.connected ? 'ok' : 'bad'}">${stream.connected ? 'connected' : 'not connected'}</span>` : '–'}</dd>
<dt>Last byte</dt><dd>${stream && stream.lastByteAgeMs !== null ? `${duration(stream.lastByteAgeMs)} ago` : '–'}</dd>
<dt>Reconnects</dt><dd>${stream ? stream.reconnects : '–'}</dd>`
}

function doppelgangerLine({ lastAsset, scores }: NonNullable<DaemonState['doppelgangers']>): Html {
  const found = html`<span class="bad">${scores}</span>, the last for <code>${lastAsset}</code> <code class="bad">doppelganger</code>`
  return html`<dt>Foreign scores</dt><dd>${lastAsset === null ? html`<span class="ok">none</span>` : found}</dd>\n`
}

function clockWord({ reason, trusted }: NonNullable<DaemonState['clock']>): string {
  if (!trusted) return 'not trusted'
  return reason ? 'local clock is off' : 'trusted'
}

const troubleOf = ({ reason }: { reason: string | null }): Html | null =>
  reason ? html` <code class="bad">${reason}</code>` : null

function detectors(
  { canaries, detectors, detectorProcesses, lastInferenceAt, shadows, drift }: DaemonState,
  now: number,
): Html {
  const rows = detectors.map(
    ({ canary, id, version, title, mediaTypes, digest, shadow }) =>
      html`<tr><td>${title}<br><code class="soft">${id} ${version}, ${shortDigest(digest)}</code></td><td>${mediaTypes.join(', ')}${shadow ? html`<br><span class="warn">shadow</span>` : null}${canary ? html`<br><span class="warn">canary, ${canary} %</span>` : null}</td></tr>`,
  )
  const processes = detectorProcesses
    ? `${detectorProcesses.ready} ready, ${detectorProcesses.busy} busy, of ${detectorProcesses.size}`
    : 'none'
  const last = lastInferenceAt === null ? 'none yet' : `${duration(now - lastInferenceAt)} ago`
  return html`<section><h2>Detectors</h2><table><tbody>${rows}</tbody></table>
<p class="soft">Processes: ${processes}. Last inference: ${last}.</p>${shadows ? shadowLines(shadows) : null}${canaryLines(canaries)}${driftLines(drift)}</section>`
}

const canaryLines = (rows: readonly ComparisonRow[]): Html =>
  html`${rows.map((row) => html`<p class="soft">Canary ${canaryText(row)}.</p>`)}`

function shadowLines({ rows, dropped }: NonNullable<DaemonState['shadows']>): Html {
  const lines = rows.map(
    ({ name, measured, agreed, wouldChange, failed }) =>
      html`<p class="soft">Shadow ${name}: ${measured} measured, ${agreed} agree, ${wouldChange} would have changed, ${failed} without a score.</p>`,
  )
  return html`${lines}${dropped > 0 ? html`<p class="soft">${dropped} files skipped in favor of other work.</p>` : null}`
}

function settings({ settings }: DaemonState): Html {
  const rows = settings.map(
    ({ name, value, origin }) =>
      html`<tr><td><code>${name}</code></td><td class="name"><code>${value}</code></td><td class="soft">${origin}</td></tr>`,
  )
  return html`<section><h2>Settings</h2><details id="settings"><summary id="settings-summary">${settings.length} in force</summary><table><tbody>${rows}</tbody></table></details></section>`
}
