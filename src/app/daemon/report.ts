import type { Clock } from '../../core/clock.js'
import type { Log } from '../../core/log.js'
import { percentOf, roundedRisk } from '../../core/risk.js'
import type { Detection } from '../../detect/detection.js'
import { EVEN_ODDS } from '../../detect/package/calibration-schema.js'
import type { RecentRow } from '../../fleet/recent-rows.js'
import type { Metrics } from '../../observe/metrics/metrics.js'
import type { ThrottledLog } from '../../observe/throttled-log.js'
import {
  type AnalyzeJob,
  type AnalyzeResult,
  analyzeResult,
  assetOfJob,
  type JobAsset,
  PRIORITY_MS,
  parseAnalyzeJob,
  parseSubmitJob,
  type SubmitJob,
  type SubmitResult,
  submitJobIn,
  submitResult,
} from '../../pipeline/jobs.js'
import type { Ledger, LedgerEntry } from '../../pipeline/ledger.js'
import type { Comparison, DroppedAnalysis, PipelineEvents } from '../../pipeline/pipeline-events.js'
import { statedOf } from '../../pipeline/review.js'
import { stageOf, type WorkerEvents } from '../../queue/queues.js'
import type { DriftWatch } from '../drift/drift-watch.js'
import type { Activity } from './activity.js'

/** Where events are reported, and the two callbacks for the roles. */
export interface ReportOptions {
  readonly metrics: Metrics
  readonly ledger: Ledger
  readonly activity: Activity
  readonly drift: DriftWatch
  readonly clock: Clock
  readonly log: Log
  readonly outages: ThrottledLog
  /** Called when an asset got its score too late, or none. */
  readonly onMissed: () => void
  /** Called when a submission ended: with the score on record, or because the asset is closed. */
  readonly onSubmitted: (assetId: string, outcome: SubmitResult['outcome']) => void
}

/** One place where what happens becomes numbers, ledger lines and console rows. */
export class Report {
  readonly #options: ReportOptions
  #written = Promise.resolve()

  constructor(options: ReportOptions) {
    this.#options = options
  }

  /** Resolves when every ledger line that was begun is written. */
  flush(): Promise<void> {
    return this.#written
  }

  get pipeline(): PipelineEvents {
    const { activity, clock, drift, metrics, outages } = this.#options
    return {
      streamEvent: (event) => {
        metrics.streamEvents.inc({ kind: event.kind })
        if (event.kind === 'trouble') {
          const { message: detail, reason, retryInMs } = event
          // Events that cannot be used are trouble on a standing connection; all other trouble ends it.
          if (retryInMs !== undefined) metrics.streamReconnects.inc({ reason })
          else if (reason === 'event-malformed' || reason === 'event-too-large')
            metrics.malformed.inc({ what: 'event', reason })
          outages.trouble({
            reason,
            subject: 'stream',
            message: 'event stream interrupted',
            facts: { detail, retryInMs },
          })
        }
        activity.streamEvent(event)
      },
      enqueued: ({ turnaround }) => metrics.assets.inc({ how: 'enqueued', turnaround }),
      skipped: (cause, { turnaround }) =>
        metrics.assets.inc({ how: cause === 'already-scored' ? 'scored' : 'known', turnaround }),
      dropped: (event) => this.#dropped(event),
      undecided: ({ asset, message }) => this.#abstained(asset, { reason: 'review-expired', message }),
      foreign: ({ algorithm, asset, risk, seenAt }) => {
        metrics.scores.inc({ how: 'foreign' })
        const openToRecordMs = Math.max(0, clock.now() - seenAt)
        const facts = {
          outcome: 'foreign',
          risk,
          algorithm,
          scoreId: null,
          expectedShare: EVEN_ODDS,
          openToRecordMs,
        } as const
        this.#write(asset, { kind: 'receipt', ...facts }, { queue: 'analyze' })
      },
      detected: ({ detection }) => {
        metrics.detectorSeconds.observe({ stage: 'decode' }, detection.elapsedMs.decode / 1000)
        metrics.detectorSeconds.observe({ stage: 'infer' }, detection.elapsedMs.infer / 1000)
        const { detectorDigest: digest, detectorId: id, risk, unsure } = detection
        drift.saw({ id, digest }, { risk, abstained: unsure })
      },
      compared: (comparison) => this.#compared(comparison),
      refused: (event) => {
        activity.comparisons.refused(event, metrics)
        drift.saw(event.detector, { risk: null, abstained: true })
      },
      shadowDropped: () => {
        metrics.shadowDropped.inc({})
        activity.comparisons.dropped += 1
      },
    }
  }

  get worker(): WorkerEvents {
    const { activity, log, metrics, outages } = this.#options
    return {
      completed: ({ queue, id, data, result, elapsedMs }) => {
        metrics.jobs.inc({ queue, outcome: 'completed', reason: 'none' })
        metrics.jobSeconds.observe({ queue }, elapsedMs / 1000)
        activity.pace[queue].ended(elapsedMs)
        try {
          if (stageOf(queue) === 'analyze') this.#analyzed(parseAnalyzeJob(data), analyzeResult.parse(result))
          else this.#submitted(parseSubmitJob(data), submitResult.parse(result))
        } catch (error) {
          log.warn({ queue, job: id, reason: 'job-malformed', err: error }, 'an ended job was not reported')
        }
      },
      failed: ({ queue, id, data, reason, message, attempt, final, retryInMs }) => {
        const asset = assetOfJob(data)
        const facts = { queue, asset: asset?.id ?? id, attempt, reason, detail: message }
        if (!final) {
          metrics.retries.inc({ queue, reason })
          if (reason.startsWith('media-')) activity.media.failed(reason)
          const line = { reason, subject: queue, linesPerMinute: ATTEMPT_LINES, message: 'attempt failed' }
          outages.trouble({ ...line, facts: { ...facts, retryInMs } })
          return
        }
        metrics.jobs.inc({ queue, outcome: 'failed', reason })
        // It is not kept, and what it states is a stranger's; its refusal is logged a line a minute.
        if (reason === 'fleet-code-wrong') return
        log.error(facts, 'job failed; it was kept for attestd queue retry')
        if (!asset) return
        const stage = stageOf(queue)
        const { algorithm = null, risk = null } = submitJobIn(data)?.verdict ?? {}
        this.#write(asset, { kind: 'failed', queue: stage, reason, message }, { risk, algorithm })
      },
      held: ({ queue, reason, delayMs }) => {
        metrics.holds.inc({ queue, reason })
        // Not trouble: a person has time until the deadline.
        if (reason === 'review-waiting') return
        outages.trouble({ reason, subject: queue, message: 'jobs were held', facts: { queue, delayMs } })
      },
      stalled: ({ queue, id }) => {
        metrics.jobs.inc({ queue, outcome: 'stalled', reason: 'none' })
        log.warn({ queue, job: id }, 'job of a lost worker was taken over')
      },
    }
  }

  /** The end of an analysis that outlasted its asset; one whose turn never came leaves no line. */
  #dropped({ asset, failure, turnaround }: DroppedAnalysis): void {
    const { clock, metrics } = this.#options
    metrics.assets.inc({ how: 'dropped', turnaround })
    // The service withdrew it: nothing was too slow.
    const isWithdrawn = failure === null && (asset?.closesAt ?? 0) > clock.now()
    if (!isWithdrawn) this.#missed({ turnaround, reason: 'asset-closed' })
    if (!failure || !asset) return
    const { message, reason } = failure
    this.#write(asset, { kind: 'failed', queue: 'analyze', reason, message })
  }

  #missed(labels: { readonly turnaround: string; readonly reason: string }): void {
    this.#options.metrics.missed.inc(labels)
    this.#options.onMissed()
  }

  /** The one that was measured aside, a shadow or the active detectors, is kept as a shadow; its score was not submitted. */
  #compared(comparison: Comparison): void {
    const { activity, log, metrics } = this.#options
    const { asset, measurement } = comparison
    activity.comparisons.compared(comparison, metrics)
    const facts = { asset: asset.id, detector: measurement.detector.id }
    if (!('detection' in measurement)) {
      log.debug({ ...facts, reason: measurement.reason }, 'shadow returned no score')
      return
    }
    const entry = shadowEntry(comparison, measurement.detection)
    log.debug({ ...facts, agrees: entry.agrees, wouldChange: entry.wouldChange }, 'shadow was measured')
    this.#write(asset, entry)
  }

  #analyzed({ asset }: AnalyzeJob, result: AnalyzeResult): void {
    const { activity, metrics } = this.#options
    if (result.outcome !== 'scored' || !result.cached) activity.media.arrived()
    // Its analysis is still to come.
    if (result.outcome === 'moved') return
    if (result.outcome === 'abstained') {
      this.#abstained(asset, result)
      return
    }
    const { cached, mediaType, verdict } = result
    const { algorithm, risk } = verdict
    metrics.riskPercent.observe({ detector: detectorOf(algorithm), media_type: mediaType }, percentOf(risk))
    this.#write({ ...asset, mediaType }, { kind: 'verdict', ...verdict, cached })
  }

  #abstained(asset: JobAsset, { message, reason }: { readonly message: string; readonly reason: string }): void {
    this.#options.metrics.abstained.inc({ reason, media_type: asset.mediaType ?? UNKNOWN })
    this.#write(asset, { kind: 'abstained', reason, message })
  }

  #submitted(job: SubmitJob, result: SubmitResult): void {
    const { activity, clock, metrics, onSubmitted } = this.#options
    const { asset, decision, seenAt, verdict } = job
    const stated = statedOf(job)
    const { outcome } = result
    const { turnaround } = asset
    const { expectedShare } = verdict
    const openToRecordMs = Math.max(0, clock.now() - seenAt)
    const late = turnaround === 'priority_5min' && openToRecordMs > PRIORITY_MS
    onSubmitted(asset.id, outcome)
    if (outcome === 'abstained') {
      this.#abstained(asset, result)
      return
    }
    if (outcome === 'closed') this.#missed({ turnaround, reason: 'asset-closed' })
    else metrics.scores.inc({ how: outcome })
    if (outcome === 'accepted' || outcome === 'confirmed') {
      metrics.openToAccepted.observe({ turnaround }, openToRecordMs / 1000)
      if (late) this.#missed({ turnaround, reason: 'late' })
    }
    const risk = outcome === 'closed' ? stated.risk : result.risk
    const algorithm = outcome === 'foreign' ? result.algorithm : stated.algorithm
    const scoreId = 'scoreId' in result ? result.scoreId : null
    const isOwn = activity.recent.some(({ assetId, outcome: of }) => assetId === asset.id && of === 'verdict')
    const others = { ...(!isOwn && { verdict }), ...(decision && { decision }) }
    this.#write(asset, { kind: 'receipt', outcome, risk, algorithm, scoreId, expectedShare, openToRecordMs, ...others })
  }

  /**
   * Writes a ledger line, and the row of the console; `shown` is what only that states. A ledger that cannot be written (a
   * full disk) costs its line and a warning, never the job.
   */
  #write(
    { id: assetId, title, mediaType, contentHash, uri }: JobAsset,
    facts: EntryFacts,
    shown: Partial<RecentRow> = {},
  ): void {
    const { activity, clock, ledger, outages } = this.#options
    const at = clock.now()
    const entry = { ...facts, at, assetId, title, mediaType, contentHash, uri } as LedgerEntry
    this.#written = ledger
      .append(entry)
      .catch((error) =>
        outages.trouble({ reason: 'data-dir-unusable', message: 'ledger was not written', facts: { err: error } }),
      )
    if (facts.kind === 'shadow') return
    const stated = { ...facts, ...shown } as Partial<RecentRow>
    activity.addRow({
      at,
      assetId,
      title,
      mediaType: mediaType ?? UNKNOWN,
      outcome: facts.kind === 'receipt' ? facts.outcome : facts.kind,
      risk: stated.risk ?? null,
      algorithm: stated.algorithm ?? null,
      scoreId: stated.scoreId ?? null,
      openToRecordMs: stated.openToRecordMs ?? null,
      reason: stated.reason ?? null,
      message: stated.message,
      queue: stated.queue,
    })
  }
}

/** Lines per minute of failed attempts, for each queue and reason: in an outage every waiting job would write one. */
const ATTEMPT_LINES = 30

/** The kind of media that neither the service nor the bytes state. */
const UNKNOWN = 'unknown'

type EntryFacts = LedgerEntry extends infer Entry
  ? Entry extends LedgerEntry
    ? Omit<Entry, 'at' | 'assetId' | 'title' | 'mediaType' | 'contentHash' | 'uri'>
    : never
  : never

const detectorOf = (algorithm: string): string => algorithm.slice(0, algorithm.lastIndexOf('@'))

function shadowEntry({ agrees, measurement, submitted, wouldChange }: Comparison, detection: Detection) {
  const { id, version } = measurement.detector
  const { detectorDigest, rawScore } = detection
  return {
    kind: 'shadow' as const,
    algorithm: `${id}@${version}`,
    detectorDigest,
    rawScore,
    risk: roundedRisk(detection.risk),
    submittedRisk: roundedRisk(submitted.risk),
    agrees: agrees === true,
    wouldChange: wouldChange === true,
    elapsedMs: Math.round(measurement.totalMs),
  }
}
