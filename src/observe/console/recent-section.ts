import { duration } from '../../core/duration.js'
import { percentOf, riskText } from '../../core/risk.js'
import { jobIdOf, shellWord } from '../../core/text.js'
import { type DaemonState, SHOWN_ROWS } from '../../fleet/daemon-state.js'
import { OUTCOMES, type RecentRow } from '../../fleet/recent-rows.js'
import { Html, html } from './html.js'
import { filterRows, type RecentFilter } from './recent-filter.js'

type Shown = Pick<DaemonState, 'commandFlags' | 'fleet' | 'name' | 'recent'>

/** What became of the last assets, with a form that asks for some of them. */
export function recentSection(state: Shown, filter: RecentFilter, now: number): Html {
  return html`<section class="wide" aria-labelledby="recent-title"><h2 id="recent-title">Last assets</h2>${filterForm(filter)}
<div id="recent" data-live>${recentRows(state, filter, now)}</div></section>`
}

function filterForm({ outcome, text }: RecentFilter): Html {
  const options = OUTCOMES.map(
    (one) => html`<option value="${one}"${one === outcome ? SELECTED : null}>${one}</option>`,
  )
  return html`<form method="get" action="/" role="search" aria-label="Last assets">
<label>Outcome <select name="outcome"><option value="">all</option>${options}</select></label>
<label>Text <input type="search" name="text" value="${text}" maxlength="200"></label>
<button>Filter</button>${outcome !== '' || text !== '' ? html` <a href="/">Show all</a>` : null}</form>`
}

const SELECTED = new Html(' selected')

function recentRows(state: Shown, filter: RecentFilter, now: number): Html {
  const matching = filterRows(state.recent, filter)
  if (state.recent.length === 0) return html`<p class="soft">Nothing yet.</p>`
  if (matching.length === 0) return html`<p class="soft">None of the last ${state.recent.length} matches.</p>`
  const rows = matching.slice(0, SHOWN_ROWS)
  return html`<p class="soft">${rows.length} of ${matching.length} shown.</p><table class="cards"><thead><tr><th scope="col">when</th><th scope="col">asset</th>
<th scope="col">kind</th><th scope="col">outcome</th><th scope="col" class="num">risk</th><th scope="col">detector</th>
<th scope="col" class="num">open to record</th><th scope="col">receipt, job, replay</th></tr></thead><tbody>${rows.map((row) => recentRow(row, state, now))}</tbody></table>`
}

function recentRow(row: RecentRow, { commandFlags, fleet, name }: Shown, now: number): Html {
  const { algorithm, assetId, at, daemon, mediaType, message, openToRecordMs, outcome, reason, risk, title } = row
  const job = jobIdOf(assetId)
  const id = `${job}-${outcome}-${at}`
  const here = daemon === undefined || daemon === name
  // The ledger of the daemon that did it has the record.
  const flags = here ? commandFlags : (fleet?.daemons.find((one) => one.name === daemon)?.commandFlags ?? [])
  return html`<tr><td class="soft line" data-label="when">${duration(now - at)} ago${daemon ? html`<br>${daemon}` : null}</td>
<td class="name" data-label="asset">${title || '(no title)'}<br><code class="soft">${assetId}</code></td><td data-label="kind">${mediaType}</td>
<td class="outcome" data-label="outcome"><span class="${SHOWN[outcome].tone}">${outcome}</span>${reason ? html`<br><code class="${SHOWN[outcome].tone}">${reason}</code>` : null}${message ? html`<br><span class="soft">${message}</span>` : null}</td>
<td class="num line" data-label="risk">${risk === null ? '–' : html`<meter min="0" max="100" value="${percentOf(risk)}" aria-label="risk"></meter>${riskText(risk, 1)}`}</td>
<td class="soft" data-label="detector">${algorithm ?? '–'}</td><td class="num line" data-label="open to record">${openToRecordMs === null ? '–' : duration(openToRecordMs)}</td>
<td class="name" data-label="receipt"><code>${row.scoreId ?? '–'}</code><br><a id="${id}-job" href="/queues/queue/${queueOf(row)}/${job}" aria-label="Job of ${title || assetId}">job</a>
${algorithm === null ? null : html`<details id="${id}"><summary id="${id}-replay">replay</summary><code>${replayCommand(assetId, flags)}</code>${here ? null : html` on ${daemon ?? null}`}</details>`}</td></tr>`
}

/** How an outcome looks, and whose job ends so; a failed one states that itself. */
const SHOWN = {
  verdict: { tone: 'soft', by: 'analyze' },
  accepted: { tone: 'ok', by: 'submit' },
  confirmed: { tone: 'ok', by: 'submit' },
  foreign: { tone: 'bad', by: 'submit' },
  abstained: { tone: 'warn', by: 'analyze' },
  closed: { tone: 'soft', by: 'submit' },
  failed: { tone: 'bad', by: 'analyze' },
} as const

/** There is a queue for each kind of media. */
const queueOf = ({ mediaType, outcome, queue = SHOWN[outcome].by }: RecentRow): string =>
  queue === 'analyze' ? `${queue}-${mediaType}` : queue

/** A line for a shell that measures a verdict again. @param flags that find the ledger, such as `--config FILE` */
export function replayCommand(assetId: string, flags: readonly string[]): string {
  // After `--` an id is one even where it looks like a flag.
  const words = ['npx', 'attestd', 'replay', ...flags, ...(assetId.startsWith('-') ? ['--'] : []), assetId]
  return words.map(shellWord).join(' ')
}
