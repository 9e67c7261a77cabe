import { reasonEntry } from '../../core/reasons.js'
import { percentOf } from '../../core/risk.js'
import type { Detection } from '../../detect/detection.js'
import type { CanaryRow } from '../../observe/console/canary-row.js'
import type { Metrics } from '../../observe/metrics/metrics.js'
import type { JobAsset } from '../../pipeline/jobs.js'
import type { PipelineEvents, ShadowComparison } from '../../pipeline/pipeline-events.js'

type CanaryMetrics = Pick<Metrics, 'canaryResults' | 'canaryDifference' | 'canaryAbstained' | 'canarySeconds'>
type Refusal = Parameters<NonNullable<PipelineEvents['refused']>>[0]

/** How the candidates of this daemon compare with the active detectors, since the start. */
export class CanaryBook {
  readonly #rows = new Map<string, CanaryRow>()

  get rows(): CanaryRow[] {
    return [...this.#rows.values()]
  }

  /** A candidate scored the file, and the active detectors were measured on it, too. */
  compared({ asset, measurement, submitted, agrees }: ShadowComparison, metrics: CanaryMetrics): void {
    const candidate = `${submitted.detectorId}@${submitted.detectorVersion}`
    const { id, version } = measurement.detector
    const row = { ...this.#row(candidate, asset), inCharge: `${id}@${version}` }
    const labels = { detector: submitted.detectorId, media_type: row.mediaType }
    const other = 'detection' in measurement ? measurement.detection : null
    const inCharge =
      'reason' in measurement ? reasonEntry(measurement.reason).kind === 'abstain' : measurement.detection.unsure
    this.#abstained(row, labels, { candidate: submitted.unsure, inCharge }, metrics)
    if (other) addScores(row, submitted, other, agrees === true)
    else if (!inCharge) row.failed += 1
    this.#keep(row)
    metrics.canaryResults.inc({ ...labels, outcome: outcomeOf(agrees, inCharge) })
    if (!other) return
    metrics.canaryDifference.set(labels, row.differences / row.compared)
    metrics.canarySeconds.observe({ ...labels, by: 'candidate' }, workMs(submitted) / 1000)
    metrics.canarySeconds.observe({ ...labels, by: 'in-charge' }, workMs(other) / 1000)
  }

  /** A detector abstained without a score; only those of candidates count. */
  refused({ asset, detector }: Refusal, metrics: CanaryMetrics): void {
    if (detector.canary === undefined) return
    const row = this.#row(`${detector.id}@${detector.version}`, asset)
    const labels = { detector: detector.id, media_type: row.mediaType }
    this.#abstained(row, labels, { candidate: true, inCharge: false }, metrics)
    this.#keep(row)
  }

  #abstained(
    row: CanaryRow,
    labels: { detector: string; media_type: string },
    { candidate, inCharge }: { candidate: boolean; inCharge: boolean },
    metrics: CanaryMetrics,
  ): void {
    if (candidate) metrics.canaryAbstained.inc({ ...labels, by: 'candidate' })
    if (inCharge) metrics.canaryAbstained.inc({ ...labels, by: 'in-charge' })
    row.candidateAbstained += candidate ? 1 : 0
    row.inChargeAbstained += inCharge ? 1 : 0
  }

  #row(candidate: string, { mediaType }: Pick<JobAsset, 'mediaType'>): CanaryRow {
    const known = this.#rows.get(`${candidate} ${mediaType}`)
    if (known) return { ...known }
    const names = { candidate, mediaType: String(mediaType), inCharge: null }
    const sums = { differences: 0, candidateAbstained: 0, inChargeAbstained: 0, candidateMs: 0, inChargeMs: 0 }
    return { ...names, compared: 0, agreed: 0, failed: 0, ...sums }
  }

  #keep(row: CanaryRow): void {
    this.#rows.set(`${row.candidate} ${row.mediaType}`, row)
  }
}

function addScores(row: CanaryRow, candidate: Detection, inCharge: Detection, agrees: boolean): void {
  row.compared += 1
  row.agreed += agrees ? 1 : 0
  row.differences += percentOf(candidate.risk) - percentOf(inCharge.risk)
  row.candidateMs += workMs(candidate)
  row.inChargeMs += workMs(inCharge)
}

function outcomeOf(agrees: boolean | null, abstained: boolean): string {
  if (agrees === null) return abstained ? 'abstained' : 'failed'
  return agrees ? 'agrees' : 'disagrees'
}

const workMs = ({ elapsedMs }: Detection) => elapsedMs.decode + elapsedMs.infer
