import { median, spread } from '../../core/arrays.js'
import type { Random } from '../../core/clock.js'
import { cleanLine } from '../../core/text.js'
import type { DetectorPackage } from '../../detect/package/package-loader.js'
import { statedIn } from '../data/row-fields.js'
import { quantile } from '../metrics/bootstrap.js'
import { weightedToPrior } from '../metrics/class-weights.js'
import { precisionRecallPoints } from '../metrics/precision-recall.js'
import { type LabeledScore, rankScores } from '../metrics/ranked-scores.js'
import { reliabilityBins } from '../metrics/reliability.js'
import { rocPoints } from '../metrics/roc.js'
import { thresholdTable } from '../metrics/threshold-table.js'
import { type VerdictRow, verdictOf } from '../metrics/verdict-figures.js'
import type { Evaluation, Mistake } from './evaluation.js'
import { groupsBy, labeledScores } from './groups.js'
import { figures, metricsOf, verdictMetrics } from './row-metrics.js'
import { dataDigest } from './score-rows.js'
import type { ScoredRow } from './scored-row.js'

/** Points that a curve is drawn with. */
const CURVE_POINTS = 200
const HISTOGRAM_BINS = 20
/** Mistakes of each class that are shown. */
const MISTAKES = 12
const MAX_NOTE = 300

export interface EvaluateOptions {
  readonly detector: DetectorPackage
  readonly data: Pick<Evaluation['data'], 'duplicates' | 'from' | 'limit' | 'otherMedia' | 'prior'>
  /** Columns that get a table each. */
  readonly by: readonly string[]
  /** What was typed. */
  readonly command: string
  readonly attestd: string
  readonly node: string
  readonly platform: string
  /** Unix milliseconds. */
  readonly now: number
  readonly random: Random
}

/** All figures of a package on scored rows. */
export function evaluate(scored: readonly ScoredRow[], options: EvaluateOptions): Evaluation {
  const judged = scored.filter(({ detection }) => detection)
  const rows = weightedScores(judged, options.data.prior)
  const sure = rows.filter((_, index) => !judged[index]?.detection?.unsure)
  const ranked = rankScores(rows)
  const { by, command, attestd, node, platform, data, random } = options
  const fake = scored.filter(({ row }) => row.fake).length
  return {
    schema: 1,
    madeAt: new Date(options.now).toISOString(),
    command,
    attestd,
    node,
    platform,
    detector: detectorFacts(options.detector),
    data: { ...data, digest: dataDigest(scored), rows: scored.length, real: scored.length - fake, fake },
    outcomes: outcomesOf(scored),
    verdicts: verdictsOf(scored, random),
    all: metricsOf(rows, random),
    sure: metricsOf(sure, random),
    roc: curve(rocPoints(ranked).map(({ fpr, tpr }) => ({ fpr, tpr }))),
    precisionRecall: curve(precisionRecallPoints(ranked).map(({ recall, precision }) => ({ recall, precision }))),
    reliability: reliabilityBins(ranked).map(({ meanRisk, fakeShare, ...bin }) => ({
      ...bin,
      ...figures({ meanRisk, fakeShare }),
    })),
    histogram: { real: histogram(rows.filter((row) => !row.fake)), fake: histogram(rows.filter((row) => row.fake)) },
    thresholds: thresholdTable(ranked).map(({ threshold, ...shares }) => ({ threshold, ...figures(shares) })),
    groups: Object.fromEntries(by.map((column) => [column, groupsBy(column, scored, random)])),
    mistakes: { real: worst(scored, false).map(mistakeOf), fake: worst(scored, true).map(mistakeOf) },
    milliseconds: millisecondsOf(scored),
  }
}

/** As many points of a curve as it is drawn with; none where a class is missing. */
function curve<Point extends object>(points: readonly Point[]): Point[] {
  return spread(
    points.filter((point) => Object.values(point).every(Number.isFinite)),
    CURVE_POINTS,
  )
}

function verdictsOf(scored: readonly ScoredRow[], random: Random): Evaluation['verdicts'] {
  const rows = scored.flatMap(({ row, detection }): VerdictRow[] => {
    if (!detection) return []
    const called = verdictOf(detection.risk, detection.unsure)
    return [{ fake: row.fake, called, source: statedIn(row, 'source') ?? row.id }]
  })
  return verdictMetrics(rows, random)
}

/** Weighted where a share is stated, and where weights can give it: both classes are among the rows. */
function weightedScores(judged: readonly ScoredRow[], prior: number | null): LabeledScore[] {
  const rows = labeledScores(judged)
  const isMixed = rows.some(({ fake }) => fake) && rows.some(({ fake }) => !fake)
  return prior === null || !isMixed ? rows : weightedToPrior(rows, prior)
}

/** The rows of a class that the detector is most wrong about, worst first; those with a risk on the right side are no mistakes. */
export function worst(scored: readonly ScoredRow[], fake: boolean): ScoredRow[] {
  const wrong = scored.filter(({ detection, row }) => detection && row.fake === fake && detection.risk >= 0.5 !== fake)
  const distance = ({ detection }: ScoredRow) => Math.abs((detection?.risk ?? 0.5) - 0.5)
  return wrong.toSorted((a, b) => distance(b) - distance(a)).slice(0, MISTAKES)
}

function mistakeOf({ row, detection }: ScoredRow): Mistake {
  const { id, fake, columns, content } = row
  const note = 'text' in content ? `${detection?.notes ?? ''}: ${content.text}` : (detection?.notes ?? '')
  return {
    id: cleanLine(id, MAX_NOTE),
    fake,
    risk: detection?.risk ?? Number.NaN,
    unsureBecause: detection?.unsureBecause ?? null,
    note: cleanLine(note, MAX_NOTE),
    columns,
  }
}

function detectorFacts({ manifest, digest }: DetectorPackage): Evaluation['detector'] {
  const { id, version, title, mediaTypes, license, calibration, decisionBand, files } = manifest
  return { id, version, title, digest, mediaTypes, license, calibration: calibration.kind, decisionBand, files }
}

function outcomesOf(scored: readonly ScoredRow[]): Evaluation['outcomes'] {
  const unsure = (why: 'band' | 'flip') => scored.filter(({ detection }) => detection?.unsureBecause === why).length
  const refused = (how: 'abstained' | 'failed') => {
    const counts: Record<string, number> = {}
    for (const { unscored } of scored)
      if (unscored?.how === how) counts[unscored.reason] = (counts[unscored.reason] ?? 0) + 1
    return counts
  }
  return {
    scored: scored.filter(({ detection }) => detection).length,
    unsure: { band: unsure('band'), flip: unsure('flip') },
    abstained: refused('abstained'),
    failed: refused('failed'),
  }
}

function histogram(rows: readonly LabeledScore[]): number[] {
  const bins = Array.from({ length: HISTOGRAM_BINS }, () => 0)
  for (const { score } of rows) {
    const bin = Math.min(HISTOGRAM_BINS - 1, Math.floor(score * HISTOGRAM_BINS))
    bins[bin] = (bins[bin] ?? 0) + 1
  }
  return bins
}

function millisecondsOf(scored: readonly ScoredRow[]): Evaluation['milliseconds'] {
  const times = scored.flatMap(({ detection }) => (detection ? [detection.elapsedMs] : []))
  return figures({
    medianDecode: median(times.map(({ decode }) => decode)),
    medianInfer: median(times.map(({ infer }) => infer)),
    p95: quantile(
      times.map(({ decode, infer }) => decode + infer).sort((a, b) => a - b),
      0.95,
    ),
  })
}
