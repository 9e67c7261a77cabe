import { asRisk, riskText } from '../../core/risk.js'
import { CONSOLE_STYLE } from '../../observe/console/console-assets.js'
import { Html, html } from '../../observe/console/html.js'
import type { Evaluation, EvaluationGroup, FigureWithInterval } from '../evaluate/evaluation.js'
import { groupTitle } from '../evaluate/groups.js'
import { CHART_STYLE, intervalBar } from './chart.js'
import { chartsOf } from './charts-of-evaluation.js'
import { decimal, FIGURES, intervalText, percent, verdictsText } from './figure-text.js'
import { mistakeCards, type Thumbnails } from './mistake-cards.js'

/** Nothing is loaded from elsewhere, and nothing that a file name or a text smuggled in could run. */
const POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

/** The report as one page, complete in itself, foreign text escaped. @param thumbnails of the mistakes by row id */
export function evaluationPage(evaluation: Evaluation, thumbnails: Thumbnails): string {
  const { detector, groups, madeAt } = evaluation
  const name = `${detector.id}@${detector.version}`
  const page = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${POLICY}"><title>${name}: evaluation</title>
<style>${new Html(CONSOLE_STYLE)}${CHART_STYLE}${new Html(PAGE_STYLE)}</style></head>
<body><header><h1>${name}</h1><span class="soft">${detector.title}</span></header><main>
${tiles(evaluation)}
${chartsOf(evaluation)}
<div class="grid two">${[bandSection(evaluation), dataSection(evaluation)]}</div>
${thresholdSection(evaluation)}
${Object.entries(groups).map(([column, rows]) => groupTable(column, rows))}
${mistakeCards(evaluation.mistakes, thumbnails)}
${packageSection(evaluation)}
</main><footer>Made ${madeAt.slice(0, 19).replace('T', ' ')} UTC by attestd ${evaluation.attestd}. Intervals: 95 %; Wilson for the share of a class that is flagged, else stratified bootstrap, 1000 resamples, from ten rows of a class on.</footer></body></html>`
  return page.text
}

function tiles({ all, sure, data }: Evaluation): Html {
  const abstained = data.rows === 0 ? null : 1 - sure.rows / data.rows
  const items = [
    tile('AUC', decimal(all.auc.value), intervalText(all.auc)),
    tile('TPR at 5 % FPR', percent(all.tprAt5.value), intervalText(all.tprAt5, percent)),
    tile('TPR at 1 % FPR', percent(all.tprAt1.value), intervalText(all.tprAt1, percent)),
    tile('Real files at risk ≥ 50', percent(all.realFlagged.value), intervalText(all.realFlagged, percent)),
    tile('Calibration error', decimal(all.ece.value), intervalText(all.ece)),
    tile('No verdict', percent(abstained), 'unsure, refused or failed'),
  ]
  return html`<div class="grid tiles">${items}</div>`
}

const tile = (title: string, value: string, note: string): Html =>
  html`<section><h2>${title}</h2><p class="figure">${value}</p><p class="note">${note}</p></section>`

function bandSection({ all, sure, detector: { decisionBand: band }, outcomes, verdicts }: Evaluation): Html {
  const rows = FIGURES.map(
    ([key, name, show]) =>
      html`<tr><td>${name}</td><td class="num">${show(all[key].value)}</td><td class="num soft line">${intervalText(all[key], show)}</td><td class="num">${show(sure[key].value)}</td></tr>`,
  )
  return html`<section><h2>With and without the decision band</h2>
<p class="note">Band ${riskText(asRisk(band.low))} to ${riskText(asRisk(band.high))}: ${outcomes.unsure.band} files lie inside, ${outcomes.unsure.flip} more are flipped by another reading of the file. The default policy abstains on both. ${verdictsText(verdicts)}</p>
<table><tr><th></th><th class="num">all ${all.rows}</th><th class="num">95 % interval</th><th class="num">sure ${sure.rows}</th></tr>${rows}</table></section>`
}

function dataSection({ data, outcomes, milliseconds }: Evaluation): Html {
  const facts: [string, string | number][] = [
    ['Data', data.from],
    ['Rows', `${data.rows}: ${data.real} real, ${data.fake} fake`],
    ...(data.limit === null ? [] : [['Limit', `${data.limit} rows, chosen by hash`] as [string, string]]),
    ...(data.prior === null ? [] : [['Weighted to a share of fakes of', percent(data.prior)] as [string, string]]),
    ...(data.otherMedia === 0 ? [] : [['Rows of other media, left out', data.otherMedia] as [string, number]]),
    ...(data.duplicates ? [['Rows with the bytes of another row', data.duplicates.rows] as [string, number]] : []),
    ['Scored', outcomes.scored],
    ...Object.entries(outcomes.abstained).map(([reason, count]): [string, number] => [`Abstained: ${reason}`, count]),
    ...Object.entries(outcomes.failed).map(([reason, count]): [string, number] => [`Failed: ${reason}`, count]),
    ['Decoding, median', `${milliseconds.medianDecode?.toFixed(1) ?? '–'} ms`],
    ['Inference, median', `${milliseconds.medianInfer?.toFixed(1) ?? '–'} ms`],
    ['Both, 95th percentile', `${milliseconds.p95?.toFixed(1) ?? '–'} ms`],
    ['Digest of the data', data.digest.slice(0, 16)],
  ]
  return html`<section><h2>Data and outcomes</h2>${factList(facts)}</section>`
}

function thresholdSection({ thresholds }: Evaluation): Html {
  const rows = thresholds.map(
    (row) =>
      html`<tr${row.threshold === 0.5 ? new Html(' class="here"') : null}><td class="num">${riskText(asRisk(row.threshold), 0)}</td><td class="num">${percent(row.tpr)}</td><td class="num">${percent(row.fpr)}</td><td class="num">${percent(row.precision)}</td><td class="num">${percent(row.accuracy)}</td><td class="num">${percent(row.abstainRate)}</td><td class="num">${percent(row.accuracyOutside)}</td></tr>`,
  )
  return html`<section class="wide"><h2>Thresholds</h2>
<p class="note">Flagged are the files with at least this risk. The last two columns: how many would abstain with a decision band from 100 − risk to risk, and how often the others are called right.</p>
<table><tr><th class="num">risk</th><th class="num">TPR</th><th class="num">FPR</th><th class="num">precision</th><th class="num">right</th><th class="num">abstain</th><th class="num">right outside</th></tr>${rows}</table></section>`
}

function packageSection({ detector, command, node, platform }: Evaluation): Html {
  const facts: [string, string][] = [
    ['Digest', detector.digest],
    ['Media types', detector.mediaTypes.join(', ')],
    ['Calibration', detector.calibration],
    ['License', detector.license],
    ...Object.entries(detector.files).map(([name, { sha256, bytes }]): [string, string] => [
      name,
      `${sha256} (${(bytes / 1024).toFixed(0)} KiB)`,
    ]),
    ['Node', `${node}, ${platform}`],
  ]
  return html`<section class="wide"><h2>Package</h2>${factList(facts)}<h2 class="next">Made by</h2><code>${command}</code></section>`
}

const factList = (facts: readonly (readonly [string, string | number])[]): Html =>
  html`<dl>${facts.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`

const PAGE_STYLE = `
section{overflow-x:auto}
.tiles{grid-template-columns:repeat(auto-fit,minmax(165px,1fr))}
.charts{grid-template-columns:repeat(auto-fit,minmax(400px,1fr))}
.charts .chart{max-width:470px;margin:0 auto}
td.num{white-space:nowrap}
.two{grid-template-columns:repeat(auto-fit,minmax(380px,1fr))}
.figure{font-size:26px;font-weight:600;margin:0;font-variant-numeric:tabular-nums}
.note{color:var(--soft);font-size:13px;margin:6px 0 8px}
.curve.thin{stroke-width:1;opacity:.6}
tr.here td{background:color-mix(in srgb,var(--accent) 9%,transparent)}
h2.next{margin-top:16px}
code{overflow-wrap:anywhere}
.cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(168px,1fr));gap:12px}
.cards.words{grid-template-columns:repeat(auto-fill,minmax(300px,1fr))}
.card{border:1px solid var(--line);border-radius:8px;padding:8px;font-size:12.5px;overflow-wrap:anywhere}
.card img{display:block;width:100%;height:132px;object-fit:contain;background:var(--bg);border-radius:4px;margin-bottom:6px}
.card b{font-size:15px}
@media print{section{break-inside:avoid}}
`

const AGAINST = { own: '', 'all-real': ' (against all real)', 'all-fake': ' (against all fake)' } as const

/** One table: a line for each value of a column. */
export function groupTable(column: string, groups: readonly EvaluationGroup[]): Html {
  if (groups.length === 0) return html``
  return html`<section class="wide"><h2>${groupTitle(column, groups)}</h2>
<table><tr><th>${column}</th><th class="num">real</th><th class="num">fake</th><th class="num">AUC</th><th>95 % interval</th><th></th><th class="num">TPR at 5 % FPR</th><th class="num">at 1 %</th><th class="num">real ≥ 50</th><th class="num">fake ≥ 50</th><th class="num">unsure</th><th class="num">refused</th></tr>
${groups.map(groupRow)}</table></section>`
}

function groupRow(group: EvaluationGroup): Html {
  const { auc, tprAt5, tprAt1 } = group
  const bar =
    auc.value === null || auc.interval === null ? null : intervalBar(auc.value, auc.interval.low, auc.interval.high)
  return html`<tr><td class="name">${group.value}<span class="soft">${AGAINST[group.against]}</span></td><td class="num">${group.real}</td><td class="num">${group.fake}</td><td class="num">${decimal(auc.value)}</td><td class="line soft">${intervalText(auc)}</td><td class="line">${bar}</td><td class="num">${percent(tprAt5.value)}</td><td class="num">${percent(tprAt1.value)}</td><td class="num">${percent(group.realFlagged)}${soft(group.realFlaggedInterval)}</td><td class="num">${percent(group.fakeFlagged)}${soft(group.fakeFlaggedInterval)}</td><td class="num">${percent(group.unsure)}</td><td class="num">${group.refused}</td></tr>`
}

const soft = (interval: FigureWithInterval['interval']): Html =>
  html` <span class="soft">${intervalText({ interval }, percent)}</span>`
