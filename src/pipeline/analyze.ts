import { AttestdError, toAttestdError } from '../core/errors.js'
import type { Log } from '../core/log.js'
import { percentOf } from '../core/percent.js'
import type { Detection, DetectorHost } from '../detect/detection.js'
import { doubtText } from '../detect/scoring/doubt.js'
import type { FetchedMedia, MediaSource } from '../media/media-source.js'
import type { JobEnd, JobRun, QueueEngine } from '../queue/queues.js'
import { endedClosed } from './closed-submission.js'
import {
  type AnalyzeJob,
  type AnalyzeResult,
  parseAnalyzeJob,
  priorityOf,
  type SubmitJob,
  type Verdict,
} from './jobs.js'
import type { PipelineEvents } from './pipeline-events.js'
import type { ShadowLine } from './shadow-line.js'
import type { VerdictStore } from './verdict-store.js'

export interface AnalyzeOptions {
  readonly media: MediaSource
  readonly detectors: DetectorHost
  readonly verdicts: VerdictStore
  /** Gets what was scored once the verdict is handed on. */
  readonly shadows: Pick<ShadowLine, 'offer'>
  readonly queue: Pick<QueueEngine, 'add' | 'remove' | 'result'>
  readonly unsurePolicy: 'abstain' | 'submit'
  readonly log: Log
  readonly events: PipelineEvents
}

/**
 * Turns an asset into a verdict and hands it to the submit queue. Never touches the network API.
 * A reason of kind `abstain` is a result, every other error goes to the queue's retry rules.
 */
export async function analyze(run: JobRun<unknown>, options: AnalyzeOptions): Promise<JobEnd<AnalyzeResult>> {
  const job = parseAnalyzeJob(run.data)
  let found: Found | null = null
  try {
    found = await detectionFor(job, run, options)
    const { detection, cached } = found
    const verdict = verdictOf(detection)
    const doubt = doubtText(detection)
    if (doubt !== null && options.unsurePolicy === 'abstain') {
      throw new AttestdError('detector-unsure', `The risk of ${verdict.risk} by ${verdict.algorithm} ${doubt}.`)
    }
    const next: SubmitJob = { ...job, verdict, sent: null }
    await addSubmission(run.id, next, options)
    options.log.info({ asset: job.asset.id, attempt: run.attempt, risk: verdict.risk, cached }, 'asset scored')
    return { kind: 'done', result: { outcome: 'scored', verdict, cached } }
  } catch (error) {
    if (!(error instanceof AttestdError) || error.kind !== 'abstain') throw error
    const { reason, message } = error
    options.log.info({ asset: job.asset.id, attempt: run.attempt, reason, detail: message }, 'abstained')
    return { kind: 'done', result: { outcome: 'abstained', reason, message } }
  } finally {
    if (found?.media) options.shadows.offer({ asset: job.asset, submitted: found.detection, media: found.media })
  }
}

interface Found {
  readonly detection: Detection
  readonly cached: boolean
  /** The bytes, still to be released; null where the verdict was kept from before. */
  readonly media: FetchedMedia | null
}

/** A submission that ended because the asset seemed closed makes way: the service offers the asset again. */
async function addSubmission(id: string, job: SubmitJob, { queue }: AnalyzeOptions): Promise<void> {
  const add = () => queue.add('submit', id, job, { priority: priorityOf(job.asset.turnaround) })
  if ((await add()).added) return
  if ((await endedClosed(queue, id)) && (await queue.remove('submit', id, 'completed'))) await add()
}

async function detectionFor(
  { asset }: AnalyzeJob,
  { id, signal }: JobRun<unknown>,
  { detectors, events, log, media, verdicts }: AnalyzeOptions,
): Promise<Found> {
  const detector = detectors.detectorFor(asset.mediaType)
  if (!detector) throw new AttestdError('detector-none', `No detector is loaded for ${asset.mediaType}.`)
  const { contentHash, mediaType } = asset
  const key = { contentHash, detectorDigest: detector.digest, mediaType, platform: detectors.platform }
  const known = await kept(log, () => verdicts.get(key))
  if (known) return { detection: known, cached: true, media: null }

  const fetched = await media.fetch({ uri: asset.uri, contentHash: asset.contentHash }, signal)
  try {
    const request = { file: fetched.file, mediaType: asset.mediaType, label: id }
    const detection = await detectors.detect(request, signal)
    events.detected?.({ asset, detection })
    // By what measured it: the detectors may have been replaced while the media was fetched.
    await kept(log, () => verdicts.put({ ...key, detectorDigest: detection.detectorDigest }, detection))
    return { detection, cached: false, media: fetched }
  } catch (error) {
    fetched.release()
    throw error
  }
}

/** The store only saves work: a disk that fails costs a second inference, not the job. */
async function kept<T>(log: Log, work: () => Promise<T>): Promise<T | null> {
  try {
    return await work()
  } catch (error) {
    log.warn({ reason: 'data-dir-unusable', err: toAttestdError(error) }, 'verdict store failed')
    return null
  }
}

function verdictOf(detection: Detection): Verdict {
  return {
    risk: percentOf(detection.risk),
    algorithm: `${detection.detectorId}@${detection.detectorVersion}`,
    notes: detection.notes,
    detectorDigest: detection.detectorDigest,
    unsure: detection.unsure,
    unsureBecause: detection.unsureBecause,
    rawScore: detection.rawScore,
    platform: detection.platform,
  }
}
