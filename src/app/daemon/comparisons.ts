import { reasonEntry } from '../../core/reasons.js'
import { percentOf, roundedRisk } from '../../core/risk.js'
import type { Detection } from '../../detect/detection.js'
import { added, type ComparisonRow, MAX_COMPARED } from '../../fleet/comparison-row.js'
import type { DaemonState, ShadowRow } from '../../fleet/daemon-state.js'
import type { Metrics } from '../../observe/metrics/metrics.js'
import type { JobAsset } from '../../pipeline/jobs.js'
import type { Comparison, PipelineEvents } from '../../pipeline/pipeline-events.js'

type Refusal = Parameters<NonNullable<PipelineEvents['refused']>>[0]

/** One of the two that are compared on a file. */
interface Side {
  readonly id: string
  readonly version: string
  /** Null where it returned no score. */
  readonly detection: Detection | null
  /** Without a score, or unsure. */
  readonly abstained: boolean
}

/** How the shadows and canaries of this daemon compare with its active detectors, since the start. */
export class Comparisons {
  readonly #canaries = new Map<string, ComparisonRow>()
  readonly #shadows = new Map<string, ComparisonRow>()
  /** Files that nobody compared, because there was other work. */
  dropped = 0

  get canaries(): ComparisonRow[] {
    return [...this.#canaries.values()]
  }

  get shadows(): NonNullable<DaemonState['shadows']> {
    return { rows: [...this.#shadows.values()].map(shadowRow), dropped: this.dropped }
  }

  /** The candidate and the active detectors were both measured on a file; the score of one of them was submitted. */
  compared(comparison: Comparison, metrics: Metrics): void {
    const { asset, measurement, submitted } = comparison
    const scored = { id: submitted.detectorId, version: submitted.detectorVersion, ...stated(submitted) }
    const { id, version } = measurement.detector
    const aside = 'detection' in measurement ? stated(measurement.detection) : silent(measurement.reason)
    const other = { id, version, ...aside }
    if (measurement.besideCandidate === undefined) {
      // The kind of media does not matter to a shadow.
      keep(this.#shadows, { ...rowOf('', other, scored, comparison), inCharge: null })
      countShadow(comparison, metrics)
    } else {
      const row = keep(this.#canaries, rowOf(asset.mediaType, scored, other, comparison))
      countCanary(row, scored, other, comparison.agrees, metrics)
    }
  }

  /** A detector abstained without a score; only those of candidates count. */
  refused({ asset, detector: { canary, id, version } }: Refusal, metrics: Metrics): void {
    if (canary === undefined) return
    keep(this.#canaries, rowOf(asset.mediaType, { id, version, detection: null, abstained: true }, null))
    metrics.canaryAbstained.inc({ detector: id, media_type: asset.mediaType, by: 'candidate' })
  }
}

const stated = (detection: Detection) => ({ detection, abstained: detection.unsure })
const silent = (reason: Parameters<typeof reasonEntry>[0]) => ({
  detection: null,
  abstained: reasonEntry(reason).kind === 'abstain',
})

function keep(rows: Map<string, ComparisonRow>, row: ComparisonRow): ComparisonRow {
  const key = `${row.candidate} ${row.mediaType}`
  const sum = added(row, rows.get(key))
  rows.set(key, sum)
  const oldest = rows.keys().next().value
  if (rows.size > MAX_COMPARED && oldest !== undefined) rows.delete(oldest)
  return sum
}

/** One file as a row. @param active null where it was not measured */
function rowOf(
  mediaType: NonNullable<JobAsset['mediaType']> | '',
  candidate: Side,
  active: Side | null,
  { agrees, wouldChange }: Partial<Pick<Comparison, 'agrees' | 'wouldChange'>> = {},
): ComparisonRow {
  const [a, b] = [candidate.detection, active?.detection]
  const both = a && b ? { a, b } : null
  return {
    candidate: `${candidate.id}@${candidate.version}`,
    mediaType,
    inCharge: active && `${active.id}@${active.version}`,
    files: 1,
    compared: both ? 1 : 0,
    agreed: agrees ? 1 : 0,
    wouldChange: wouldChange ? 1 : 0,
    differences: both ? percentOf(both.a.risk) - percentOf(both.b.risk) : 0,
    candidateAbstained: candidate.abstained ? 1 : 0,
    inChargeAbstained: active?.abstained ? 1 : 0,
    failed: active && !active.detection && !active.abstained ? 1 : 0,
    candidateMs: both ? workMs(both.a) : 0,
    inChargeMs: both ? workMs(both.b) : 0,
  }
}

function shadowRow({ agreed, candidate: name, compared: measured, files, wouldChange }: ComparisonRow): ShadowRow {
  return { name, measured, agreed, wouldChange, failed: files - measured }
}

function countShadow(
  { agrees, measurement, submitted, wouldChange }: Comparison,
  { shadowChanges, shadowDifference, shadowResults, shadowSeconds }: Metrics,
): void {
  const detector = measurement.detector.id
  shadowSeconds.observe({ detector }, measurement.totalMs / 1000)
  shadowResults.inc({ detector, outcome: 'reason' in measurement ? measurement.reason : outcomeOf(agrees) })
  if (wouldChange) shadowChanges.inc({ detector })
  if (!('detection' in measurement)) return
  const percent = (detection: Detection) => percentOf(roundedRisk(detection.risk))
  shadowDifference.observe({ detector }, Math.abs(percent(measurement.detection) - percent(submitted)))
}

function countCanary(
  row: ComparisonRow,
  candidate: Side,
  active: Side,
  agrees: boolean | null,
  { canaryAbstained, canaryDifference, canaryResults, canarySeconds }: Metrics,
): void {
  const labels = { detector: candidate.id, media_type: row.mediaType }
  const unscored = active.abstained ? 'abstained' : 'failed'
  canaryResults.inc({ ...labels, outcome: agrees === null ? unscored : outcomeOf(agrees) })
  if (active.detection) canaryDifference.set(labels, row.differences / row.compared)
  for (const [by, side] of Object.entries({ candidate, 'in-charge': active })) {
    if (side.abstained) canaryAbstained.inc({ ...labels, by })
    if (active.detection && side.detection) canarySeconds.observe({ ...labels, by }, workMs(side.detection) / 1000)
  }
}

const outcomeOf = (agrees: boolean | null) => (agrees ? 'agrees' : 'disagrees')
const workMs = ({ elapsedMs }: Detection) => elapsedMs.decode + elapsedMs.infer
