import { MAX_POINTS } from '../../fleet/history.js'
import type { HistoryDocument } from './history-document.js'
import { type Html, html } from './html.js'

/** The table states every so many points: five minutes. */
const TABLE_STEP = 30

type Plot = HistoryDocument['plots'][number]

/**
 * The last hour as small plots. The last values are next to them as text, and all in a table: for who cannot see a
 * plot, and for a browser without scripts. `browser/plots.js` draws them.
 */
export function plotsSection(history: HistoryDocument): Html {
  return html`<section class="wide" aria-labelledby="hour-title"><h2 id="hour-title">Last hour, whole fleet</h2>
<div class="plots">${history.plots.map(figure)}</div>
<p class="soft">A point covers ${history.everyMs / 1000} s; the number next to a name is the last point.</p>
<div id="hour" data-live>${sinceLine(history)}${hourTable(history)}</div></section>`
}

/** Each daemon records the hour itself, so that two of them show different beginnings. */
function sinceLine({ at, everyMs }: HistoryDocument): Html | null {
  const [first] = at
  if (first === undefined || at.length >= MAX_POINTS) return null
  const since = new Date(first - everyMs).toISOString().slice(11, 16)
  return html`<p class="soft">Recorded by this daemon since ${since} UTC.</p>`
}

function figure({ id, series, title, unit }: Plot): Html {
  return html`<figure id="plot-${id}"><figcaption><strong>${title}</strong> <span class="legend">${legend(series, unit)}</span></figcaption>
<div class="plot" role="img" aria-label="${title}, ${unit}: the table below the plots has the values"></div></figure>`
}

/** The last value of each series; `legendOf` in `browser/plots.js` writes the same. */
function legend(series: Plot['series'], unit: string): Html {
  const keys = series.map(
    ({ name, values }, nth) => html`<span class="key k${nth % COLORS}">${name} <b>${values.at(-1) ?? '–'}</b></span> `,
  )
  return html`${keys}${unit}`
}

/** Colors of the style sheet, `--k0` and so on. */
const COLORS = 6

function hourTable({ at, plots }: HistoryDocument): Html {
  const rows = at.map((_, nth) => at.length - 1 - nth).filter((_, nth) => nth % TABLE_STEP === 0)
  const columns = plots.flatMap(({ series, title, unit }) => series.map((one) => ({ ...one, title, unit })))
  const heads = columns.map(
    ({ name, title, unit }) => html`<th scope="col" class="num">${title}: ${name} (${unit})</th>`,
  )
  const body = rows.map(
    (row) => html`<tr><th scope="row">${new Date(at[row]!).toISOString().slice(11, 19)}</th>
${columns.map(({ values }) => html`<td class="num">${values[row] ?? '–'}</td>`)}</tr>`,
  )
  return html`<details id="hour-details"><summary id="hour-summary">As a table</summary><div class="scroll" tabindex="0" role="region" aria-label="The last hour as a table">
<table><thead><tr><th scope="col">UTC</th>${heads}</tr></thead><tbody>${body}</tbody></table></div></details>`
}
