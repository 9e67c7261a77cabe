import { type Html, html } from '../../observe/console/html.js'
import type { EvaluationGroup, FigureWithInterval } from '../evaluate/evaluation.js'
import { intervalBar } from './chart.js'
import { decimal, intervalText, percent } from './figure-text.js'

const AGAINST = { own: '', 'all-real': ' (against all real)', 'all-fake': ' (against all fake)' } as const

/** One table: a line for each value of a column. */
export function groupTable(column: string, groups: readonly EvaluationGroup[]): Html {
  if (groups.length === 0) return html``
  return html`<section class="wide"><h2>By ${column}</h2>
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
