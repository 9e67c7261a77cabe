import { duration } from '../../core/duration.js'
import { percentOf, riskText } from '../../core/risk.js'
import { CONSOLE_STYLE, consoleCsp } from '../console/console-assets.js'
import { Html, html } from '../console/html.js'
import type { ReviewItem, ReviewRow } from './review-port.js'

/** Longest note, characters. */
export const NOTE_MAX = 500
/** How often the list reloads itself, seconds. */
const LIST_REFRESH_S = 30
/** A deadline that is nearer than this is marked, ms. */
const SOON_MS = 2 * 60_000
/** Assets on the list; the nearest deadlines come first. */
const SHOWN = 200

const REVIEW_STYLE = `${CONSOLE_STYLE}
.shown{max-width:100%;height:auto;display:block;border-radius:6px}
audio{width:100%}
pre{white-space:pre-wrap;overflow-wrap:anywhere;max-height:60vh;overflow-y:auto;margin:0;font:inherit}
label.line{display:block;width:100%}
input[name=note]{width:100%}
td a{display:block}
`

/** Content-Security-Policy of these pages: media too comes from this server alone. */
export const REVIEW_CSP = consoleCsp(REVIEW_STYLE, ["img-src 'self' data:", "media-src 'self'"])

const row = (id: string) => `/review/${encodeURIComponent(id)}`

/** The assets that wait for a person. @param now Unix ms of service time @param done what the last decision was about; null where there was none */
export function reviewListPage(all: readonly ReviewRow[], now: number, done: string | null): string {
  const rows = all.slice(0, SHOWN).map(
    ({ id, title, assetId, mediaType, risk, algorithm, deadline, isUrgent }) =>
      html`<tr><td class="${deadline - now < SOON_MS ? 'bad' : ''} line" data-label="time left">${duration(deadline - now)}${isUrgent ? html` <span class="warn">urgent</span>` : null}</td>
<td class="name" data-label="asset"><a href="${row(id)}" data-row>${title || assetId}</a></td><td data-label="kind">${mediaType}</td>
<td class="num" data-label="risk">${riskText(risk, 1)}</td><td class="soft" data-label="detector">${algorithm}</td></tr>`,
  )
  const table = html`<table class="cards"><thead><tr><th scope="col">time left</th><th scope="col">asset</th><th scope="col">kind</th>
<th scope="col" class="num">risk</th><th scope="col">detector</th></tr></thead><tbody>${rows}</tbody></table>`
  const body = html`<section class="wide"><h2>Waiting for a decision: ${all.length}</h2>
${done === null ? null : html`<p class="ok" role="status">Decision recorded: ${done}. The score is sent by the daemon that submits.</p>`}
${all.length === 0 ? html`<p class="soft">No asset waits for a decision.</p>` : table}
<p class="soft">j and k move, Enter opens. An asset without a decision at its deadline gets no score.</p></section>`
  return page('review', body, html`<meta http-equiv="refresh" content="${LIST_REFRESH_S}">`)
}

export interface Entered {
  readonly risk: string
  readonly note: string
  readonly problem: string
}

/** One asset, with the form. @param text of a text asset; null for other kinds and where it cannot be shown @param now Unix ms of service time */
export function reviewItemPage(item: ReviewItem, text: string | null, now: number, entered?: Entered): string {
  const { title, assetId, mediaType, risk, algorithm, deadline, doubt, notes } = item
  const body = html`<section class="wide"><h2>${mediaType}, ${duration(deadline - now)} left</h2>
<p class="name"><b>${title || '(no title)'}</b><br><code class="soft">${assetId}</code></p>${shown(item, text)}</section>
<section class="wide"><h2>Detector</h2><p><meter min="0" max="100" value="${percentOf(risk)}" aria-label="risk"></meter><b>${riskText(risk)}</b> by ${algorithm}: it ${doubt}.</p>
<p class="soft name">${notes}</p>${partsOf(item)}${evidenceOf(item)}</section>
<section class="wide"><h2>Decision</h2>${entered ? html`<p class="bad" role="alert">${entered.problem}</p>` : null}
<form method="post" action="${row(item.id)}"><label>Risk, 0 (real) to 100 (machine-made) <input name="risk" size="8" required${entered ? AUTOFOCUS : null} inputmode="decimal" autocomplete="off" value="${entered?.risk ?? ''}"></label>
<label class="line">Note, sent with the score <input name="note" maxlength="${NOTE_MAX}" autocomplete="off" value="${entered?.note ?? ''}"></label><button>Submit this score</button></form>
<p class="soft">r goes to the risk, u returns to the list.</p></section>`
  return page(title || assetId, body)
}

/** Only where something is to be corrected: whoever opens an asset sees the media first, and its keys work. */
const AUTOFOCUS = new Html(' autofocus')

/** A page that states why something was refused. */
export const reviewProblemPage = (problem: string): string =>
  page('refused', html`<section class="wide"><p class="bad" role="alert">${problem}</p></section>`)

function shown({ id, mediaType, viewGap }: ReviewItem, text: string | null): Html {
  if (viewGap !== null) return html`<p class="warn">${viewGap}</p>`
  const media = `${row(id)}/media`
  if (mediaType === 'text') return html`<pre tabindex="0">${text ?? ''}</pre>`
  if (mediaType === 'audio') {
    return html`<audio controls preload="none" src="${media}" aria-label="The recording, encoded again"></audio>`
  }
  const what = mediaType === 'image' ? 'The picture, encoded again' : 'Frames of the video, in the order of time'
  const map = html`<details id="map"><summary>Where the risk lies</summary><img class="shown" loading="lazy" src="${row(id)}/map" alt="Risk of the pieces of the picture"></details>`
  return html`<a href="${media}"><img class="shown" src="${media}" alt="${what}"></a>${mediaType === 'image' ? map : null}`
}

function partsOf({ parts }: ReviewItem): Html | null {
  if (parts.length === 0) return null
  const rows = parts.map(
    ({ name, risk }) => html`<tr><td class="name">${name}</td><td class="num">${riskText(risk, 1)}</td></tr>`,
  )
  return html`<details><summary>The parts with the highest risk</summary><table><tbody>${rows}</tbody></table></details>`
}

function evidenceOf({ evidence }: ReviewItem): Html {
  if (evidence.length === 0) return html`<p class="soft">The file states nothing about its own origin.</p>`
  const lines = evidence.map(({ kind, text }) => html`<li class="name"><code>${kind}</code> ${text}</li>`)
  return html`<p class="soft">What the file states about its own origin; it proves nothing:</p><ul>${lines}</ul>`
}

function page(title: string, body: Html, head: Html | null = null): string {
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">${head}
<meta name="robots" content="noindex"><title>attestd: ${title}</title><link rel="icon" href="data:,"><style>${new Html(REVIEW_STYLE)}</style>
<script src="/console/review.js" type="module"></script></head>
<body><header><h1>attestd</h1><nav aria-label="Pages"><a href="/review" id="list">Review</a><a href="/">Console</a></nav></header><main>${body}</main></body></html>`
    .text
}
