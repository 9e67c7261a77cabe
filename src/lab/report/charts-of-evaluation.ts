import { asRisk, riskText } from '../../core/risk.js'
import { type Html, html } from '../../observe/console/html.js'
import type { Evaluation } from '../evaluate/evaluation.js'
import { bars, chart, dot, line, type Point, stretch, TICKS } from './chart.js'
import { decimal, percent } from './figure-text.js'

/** Largest and smallest radius of a reliability dot; its area grows with the rows of its bin. */
const DOT_RADIUS = { min: 2.5, max: 10 } as const

const RISK_TICKS = TICKS.map((tick) => riskText(asRisk(tick), 0))

/** The four pictures of an evaluation. */
export function chartsOf(evaluation: Evaluation): Html {
  return html`<div class="grid charts">${[
    figureOf('ROC curve', `AUC ${decimal(evaluation.all.auc.value)}`, roc(evaluation)),
    figureOf(
      'Precision and recall',
      `average precision ${decimal(evaluation.all.averagePrecision.value)}`,
      precisionRecall(evaluation),
    ),
    figureOf('Reliability', `expected calibration error ${decimal(evaluation.all.ece.value)}`, reliability(evaluation)),
    figureOf('Risks by class', 'green real, red fake; the band is shaded', histogram(evaluation)),
  ]}</div>`
}

const figureOf = (title: string, note: string, picture: Html): Html =>
  html`<section><h2>${title}</h2>${picture}<p class="note">${note}</p></section>`

/** The straight line of a detector that guesses. */
const byChance = (left: number, right: number): Html => line([[0, left] as const, [1, right] as const], 'chance')

function roc({ roc, all }: Evaluation): Html {
  const curve = roc.map(({ fpr, tpr }): Point => [fpr, tpr])
  const label = `ROC curve, area ${decimal(all.auc.value)}`
  return chart({ x: 'real flagged (FPR)', y: 'fake flagged (TPR)', label }, [byChance(0, 1), line(curve, 'curve')])
}

function precisionRecall({ precisionRecall, data, all }: Evaluation): Html {
  const curve = precisionRecall.map(({ recall, precision }): Point => [recall, precision])
  const share = data.prior ?? (all.rows === 0 ? 0 : all.fake / all.rows)
  return chart({ x: 'recall', y: 'precision', label: 'Precision-recall curve' }, [
    byChance(share, share),
    line(curve, 'curve'),
  ])
}

function reliability({ reliability }: Evaluation): Html {
  const most = Math.max(1, ...reliability.map(({ rows }) => rows))
  const bins = reliability.flatMap(({ meanRisk, fakeShare, rows }) =>
    meanRisk === null || fakeShare === null ? [] : [{ meanRisk, fakeShare, rows }],
  )
  const dots = bins.map(({ meanRisk, fakeShare, rows }) => {
    const radius = Math.max(DOT_RADIUS.min, DOT_RADIUS.max * Math.sqrt(rows / most))
    const label = `mean risk ${riskText(asRisk(meanRisk), 1)}, ${percent(fakeShare)} fake, ${Number(rows.toFixed(1))} rows`
    return dot([meanRisk, fakeShare], Number(radius.toFixed(1)), 'point', label)
  })
  return chart(
    { x: 'mean risk of the bin', y: 'share that is fake', label: 'Reliability diagram', xTicks: RISK_TICKS },
    [
      byChance(0, 1),
      line(
        bins.map(({ meanRisk, fakeShare }): Point => [meanRisk, fakeShare]),
        'curve thin',
      ),
      ...dots,
    ],
  )
}

function histogram({ histogram: { real, fake }, detector: { decisionBand } }: Evaluation): Html {
  const most = Math.max(4, ...real, ...fake)
  const ticks = TICKS.map((share) => String(Math.round(share * most)))
  const barsOf = (counts: readonly number[], tone: string) =>
    bars(
      counts.map((count) => count / most),
      tone,
      (index) => {
        const [from, to] = [index / counts.length, (index + 1) / counts.length]
        return `${counts[index]} ${tone}, risk ${riskText(asRisk(from), 0)} to ${riskText(asRisk(to), 0)}`
      },
    )
  const { low, high } = decisionBand
  return chart({ x: 'risk', y: 'files', label: 'Histogram of risks by class', xTicks: RISK_TICKS, yTicks: ticks }, [
    stretch(low, high, 'band', `decision band ${riskText(asRisk(low))} to ${riskText(asRisk(high))}`),
    ...barsOf(real, 'real'),
    ...barsOf(fake, 'fake'),
  ])
}
