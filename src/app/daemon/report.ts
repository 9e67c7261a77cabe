import type { Clock } from '../../core/clock.js'
import type { Log } from '../../core/log.js'
import { percentOf, roundedRisk } from '../../core/risk.js'
import type { Detection } from '../../detect/detection.js'
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
  submitResult,
  verdictOfJob,
} from '../../pipeline/jobs.js'
import type { Ledger, LedgerEntry } from '../../pipeline/ledger.js'
import type { DroppedAnalysis, PipelineEvents, ShadowComparison } from '../../pipeline/pipeline-events.js'
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
  /** Called when the queue engine had trouble: it may have lost jobs. */
  readonly onQueueTrouble: () => void
  /** Called when a submission ended: with the score on record, or because the asset is closed. */
  readonly onSubmitted: (assetId: string, outcome: SubmitResult['outcome']) => void
}

/** The event callbacks of the pipeline and of the queue workers. */
export interface Report {
  readonly pipeline: PipelineEvents
  readonly worker: WorkerEvents
  /** Resolves when every ledger line that was begun is written. */
  flush(): Promise<void>
}

/** One place where what happens becomes numbers, ledger lines and console rows. */
export function createReport(options: ReportOptions): Report {
  const { activity, drift, metrics, outages } = options
  const book = ledgerWriter(options)

  const pipeline: PipelineEvents = {
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
    dropped: (event) => reportDropped(event, options, book),
    detected: ({ detection }) => {
      metrics.detectorSeconds.observe({ stage: 'decode' }, detection.elapsedMs.decode / 1000)
      metrics.detectorSeconds.observe({ stage: 'infer' }, detection.elapsedMs.infer / 1000)
      const { detectorDigest: digest, detectorId: id, risk, unsure } = detection
      drift.saw({ id, digest }, { risk, abstained: unsure })
    },
    shadowed: (comparison) => reportShadow(comparison, options, book),
    canaryCompared: (comparison) => reportCanary(comparison, options, book),
    refused: (event) => {
      activity.canaries.refused(event, metrics)
      drift.saw(event.detector, { risk: null, abstained: true })
    },
    shadowDropped: () => {
      metrics.shadowDropped.inc({})
      activity.shadowDropped()
    },
  }
  return { pipeline, worker: workerEvents(options, book), flush: book.flush }
}

function workerEvents(options: ReportOptions, book: LedgerWriter): WorkerEvents {
  const { activity, clock, log, metrics, outages } = options
  return {
    completed: ({ queue, id, data, result, elapsedMs }) => {
      metrics.jobs.inc({ queue, outcome: 'completed', reason: 'none' })
      metrics.jobSeconds.observe({ queue }, elapsedMs / 1000)
      activity.pace[queue].ended(elapsedMs)
      try {
        if (stageOf(queue) === 'analyze')
          reportAnalysis(parseAnalyzeJob(data), analyzeResult.parse(result), options, book)
        else reportSubmission(parseSubmitJob(data), submitResult.parse(result), options, book)
      } catch (error) {
        log.warn({ queue, job: id, reason: 'job-malformed', err: error }, 'ended job was not reported')
      }
    },
    failed: ({ queue, id, data, reason, message, attempt, final, retryInMs }) => {
      const asset = assetOfJob(data)
      const facts = { queue, asset: asset?.id ?? id, attempt, reason, detail: message }
      if (!final) {
        metrics.retries.inc({ queue, reason })
        if (reason.startsWith('media-')) activity.media.failed(reason)
        log.warn({ ...facts, retryInMs }, 'attempt failed')
        return
      }
      metrics.jobs.inc({ queue, outcome: 'failed', reason })
      log.error(facts, 'job failed; it was kept for attestd queue retry')
      if (!asset) return
      const stage = stageOf(queue)
      book.write(asset, { kind: 'failed', queue: stage, reason, message })
      const { algorithm = null, risk = null } = verdictOfJob(data) ?? {}
      activity.addRow(row(asset, clock.now(), { outcome: 'failed', queue: stage, reason, message, risk, algorithm }))
    },
    held: ({ queue, reason, delayMs }) => {
      metrics.holds.inc({ queue, reason })
      outages.trouble({ reason, subject: queue, message: 'jobs were held', facts: { queue, delayMs } })
    },
    stalled: ({ queue, id }) => {
      metrics.jobs.inc({ queue, outcome: 'stalled', reason: 'none' })
      log.warn({ queue, job: id }, 'job of a lost worker was taken over')
    },
    // The engine writes the log line of it.
    trouble: () => options.onQueueTrouble(),
  }
}

/** The end of an analysis in trouble that outlasted its asset; one whose turn never came only counts. */
function reportDropped(
  { asset, failure, turnaround }: DroppedAnalysis,
  { activity, clock, metrics }: ReportOptions,
  book: LedgerWriter,
): void {
  metrics.assets.inc({ how: 'dropped', turnaround })
  if (!failure || !asset) return
  const { message, reason } = failure
  metrics.missed.inc({ turnaround, reason: 'asset-closed' })
  book.write(asset, { kind: 'failed', queue: 'analyze', reason, message })
  activity.addRow(row(asset, clock.now(), { outcome: 'failed', queue: 'analyze', reason, message }))
}

function reportShadow(comparison: ShadowComparison, options: ReportOptions, book: LedgerWriter): void {
  const { activity, log, metrics } = options
  const { asset, measurement, submitted, agrees, wouldChange } = comparison
  const { id } = measurement.detector
  const seconds = measurement.totalMs / 1000
  activity.shadowed(comparison)
  metrics.shadowSeconds.observe({ detector: id }, seconds)
  if (!('detection' in measurement)) {
    const { reason } = measurement
    metrics.shadowResults.inc({ detector: id, outcome: reason })
    log.debug({ asset: asset.id, detector: id, reason }, 'shadow returned no score')
    return
  }
  const percents = {
    risk: percentOf(roundedRisk(measurement.detection.risk)),
    submittedRisk: percentOf(roundedRisk(submitted.risk)),
  }
  metrics.shadowResults.inc({ detector: id, outcome: agrees ? 'agrees' : 'disagrees' })
  if (wouldChange) metrics.shadowChanges.inc({ detector: id })
  metrics.shadowDifference.observe({ detector: id }, Math.abs(percents.risk - percents.submittedRisk))
  const facts = { agrees, wouldChange }
  log.debug({ asset: asset.id, detector: id, ...percents, ...facts }, 'shadow was measured')
  book.write(asset, shadowEntry(comparison, measurement.detection))
}

function shadowEntry(
  { agrees, measurement, submitted, wouldChange }: ShadowComparison,
  detection: Detection,
): EntryFacts {
  const { id, version } = measurement.detector
  const { detectorDigest, rawScore } = detection
  return {
    kind: 'shadow',
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

/** The active detectors were measured as a shadow would be: the ledger keeps it as one. */
function reportCanary(comparison: ShadowComparison, { activity, metrics }: ReportOptions, book: LedgerWriter): void {
  activity.canaries.compared(comparison, metrics)
  const { asset, measurement } = comparison
  if ('detection' in measurement) book.write(asset, shadowEntry(comparison, measurement.detection))
}

function reportAnalysis(
  { asset }: AnalyzeJob,
  result: AnalyzeResult,
  options: ReportOptions,
  book: LedgerWriter,
): void {
  const { activity, clock, metrics } = options
  if (result.outcome !== 'scored' || !result.cached) activity.media.arrived()
  // Its analysis is still to come.
  if (result.outcome === 'moved') return
  if (result.outcome === 'scored') {
    const { cached, mediaType, verdict } = result
    const { algorithm, risk } = verdict
    metrics.riskPercent.observe({ detector: detectorOf(algorithm), media_type: mediaType }, percentOf(risk))
    book.write({ ...asset, mediaType }, { kind: 'verdict', ...verdict, cached })
    activity.addRow(row({ ...asset, mediaType }, clock.now(), { outcome: 'verdict', risk, algorithm }))
    return
  }
  const { reason, message } = result
  metrics.abstained.inc({ reason, media_type: asset.mediaType ?? UNKNOWN })
  book.write(asset, { kind: 'abstained', reason, message })
  activity.addRow(row(asset, clock.now(), { outcome: 'abstained', reason, message }))
}

/** The id in `id@version`. */
function detectorOf(algorithm: string): string {
  return algorithm.slice(0, algorithm.lastIndexOf('@'))
}

function reportSubmission(job: SubmitJob, result: SubmitResult, options: ReportOptions, book: LedgerWriter): void {
  const { activity, clock, metrics } = options
  const { asset, seenAt, verdict } = job
  const { outcome } = result
  const { turnaround } = asset
  const { expectedShare } = verdict
  const openToRecordMs = Math.max(0, clock.now() - seenAt)
  const late = turnaround === 'priority_5min' && openToRecordMs > PRIORITY_MS
  options.onSubmitted(asset.id, outcome)
  if (outcome === 'closed') {
    metrics.missed.inc({ turnaround, reason: 'asset-closed' })
  } else metrics.scores.inc({ how: outcome })
  if (outcome === 'accepted' || outcome === 'confirmed') {
    metrics.openToAccepted.observe({ turnaround }, openToRecordMs / 1000)
    if (late) metrics.missed.inc({ turnaround, reason: 'late' })
  }
  const risk = outcome === 'closed' ? verdict.risk : result.risk
  const algorithm = outcome === 'foreign' ? result.algorithm : verdict.algorithm
  const scoreId = 'scoreId' in result ? result.scoreId : null
  book.write(asset, { kind: 'receipt', outcome, risk, algorithm, scoreId, expectedShare, openToRecordMs })
  activity.addRow(row(asset, clock.now(), { outcome, risk, algorithm, scoreId, openToRecordMs }))
}

/** The kind of media that neither the service nor the bytes state. */
const UNKNOWN = 'unknown'

type RowFacts = Pick<Parameters<Activity['addRow']>[0], 'outcome'> & Partial<Parameters<Activity['addRow']>[0]>

function row(asset: JobAsset, at: number, facts: RowFacts): Parameters<Activity['addRow']>[0] {
  const { id: assetId, title, mediaType } = asset
  const nothing = { risk: null, algorithm: null, scoreId: null, openToRecordMs: null, reason: null }
  return { at, assetId, title, mediaType: mediaType ?? UNKNOWN, ...nothing, ...facts }
}

type EntryFacts = LedgerEntry extends infer Entry
  ? Entry extends LedgerEntry
    ? Omit<Entry, 'at' | 'assetId' | 'title' | 'mediaType' | 'contentHash' | 'uri'>
    : never
  : never

interface LedgerWriter {
  write(asset: JobAsset, facts: EntryFacts): void
  flush(): Promise<void>
}

/** A ledger that cannot be written (a full disk) costs its line and a warning, never the job. */
function ledgerWriter({ clock, ledger, outages }: ReportOptions): LedgerWriter {
  let last = Promise.resolve()
  return {
    write({ id: assetId, title, mediaType, contentHash, uri }, facts) {
      const entry = { at: clock.now(), assetId, title, mediaType, contentHash, uri, ...facts } as LedgerEntry
      last = ledger.append(entry).catch((error) =>
        outages.trouble({
          reason: 'data-dir-unusable',
          message: 'ledger was not written',
          facts: { err: error },
        }),
      )
    },
    flush: () => last,
  }
}
