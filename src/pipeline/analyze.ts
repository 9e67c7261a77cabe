import type { Clock } from '../core/clock.js'
import { AttestdError, isAbstention, toAttestdError } from '../core/errors.js'
import { readAt } from '../core/files.js'
import type { Log } from '../core/log.js'
import type { MediaType } from '../core/media-types.js'
import { percentOf, riskText, roundedRisk } from '../core/risk.js'
import type { Detection, DetectorHost } from '../detect/detection.js'
import { doubtText } from '../detect/scoring/to-detection.js'
import { mediaTypeOf, SNIFF_BYTES, sniff } from '../formats/sniff.js'
import type { FetchedMedia, MediaSource } from '../media/media-source.js'
import { claimedWork } from '../queue/claims.js'
import { analyzeQueue, type JobEnd, type JobRun, type QueueEngine } from '../queue/queues.js'
import { fetchAside } from './fetch-aside.js'
import {
  type AnalyzeJob,
  endedClosed,
  failuresOf,
  type LookedAtBy,
  parseAnalyzeJob,
  priorityOf,
  type StoredAnalyzeResult,
  type SubmitJob,
  storeAnalyzeResult,
  storeSubmitJob,
  type TypedAsset,
  type Verdict,
} from './jobs.js'
import { isByOther, isDetectorsOwn, MAX_LOOKS } from './other-detector.js'
import type { PipelineEvents } from './pipeline-events.js'
import { isByDetector } from './retry-failed.js'
import { reviewOf } from './review-desk.js'
import type { ShadowLine, UnsurePolicy } from './shadow-line.js'
import { type VerdictKey, type VerdictStore, verdictName } from './verdict-store.js'

/** The ports of the analyze stage; with `unsurePolicy` `abstain` an unsure detection becomes no score, with `review` a person decides. */
export interface AnalyzeOptions {
  readonly media: MediaSource
  readonly detectors: DetectorHost
  readonly verdicts: VerdictStore
  /** Gets what was scored once the verdict is handed on. */
  readonly shadows: Pick<ShadowLine, 'offer'>
  readonly queue: Pick<QueueEngine, 'add' | 'claims' | 'remove' | 'result'>
  readonly unsurePolicy: UnsurePolicy
  readonly clock: Clock
  readonly log: Log
  readonly events: PipelineEvents
}

type AnalyzeEnd = JobEnd<StoredAnalyzeResult>

interface Analysis extends AnalyzeOptions {
  readonly job: AnalyzeJob
  readonly run: JobRun<unknown>
}

/** After this time it is looked whether the verdict on the same content is there, ms. */
const ELSEWHERE_MS = 1000
/** After this time it is looked whether there is a detector again, here or on another daemon, ms. */
const DETECTOR_GONE_MS = 5000
/** Tries in which the detector process was killed: one may be chance, but so many are the memory that the file takes. */
const MAX_KILLS = 3

/**
 * What the `analyze` queues run their jobs by: turns an asset into a verdict and hands it to the submit queue. Never touches
 * the network API.
 * A reason of kind `abstain` is a result, every other error goes to the queue's retry rules.
 */
export function analyze(options: AnalyzeOptions): (run: JobRun<unknown>) => Promise<AnalyzeEnd> {
  return async (run) => verdictOn({ ...options, run, job: parseAnalyzeJob(run.data) })
}

async function verdictOn(one: Analysis): Promise<AnalyzeEnd> {
  const look = await lookAt(one)
  if (!look) return { kind: 'hold', reason: 'analysis-elsewhere', delayMs: ELSEWHERE_MS }
  if ('refusal' in look) return abstained(look, one)
  try {
    return await handOn(look, one)
  } finally {
    const { asset, detection, media } = look
    if (media) one.shadows.offer({ asset, submitted: detection, media })
  }
}

async function handOn({ asset, by, cached, detection }: Found, one: Analysis): Promise<AnalyzeEnd> {
  const { job, log, run, unsurePolicy } = one
  const verdict = verdictOf(detection)
  const { mediaType } = asset
  const doubt = doubtText(detection)
  if (doubt !== null && unsurePolicy === 'abstain') {
    const message = `The risk of ${riskText(verdict.risk)} by ${verdict.algorithm} ${doubt}.`
    return abstained({ refusal: new AttestdError('detector-unsure', message), mediaType, by }, one)
  }
  const isReviewed = doubt !== null && unsurePolicy === 'review'
  const review = isReviewed ? { review: reviewOf(detection, doubt, job) } : {}
  await addSubmission(run.id, { ...job, asset, verdict, sent: null, ...review }, one)
  const facts = { asset: asset.id, attempt: run.attempt, risk: percentOf(verdict.risk), cached }
  log.info(facts, isReviewed ? 'risk measured; a person decides' : 'risk measured')
  return { kind: 'done', result: storeAnalyzeResult({ outcome: 'scored', mediaType, verdict, cached }) }
}

async function abstained({ by, mediaType, refusal }: Refused, one: Analysis): Promise<AnalyzeEnd> {
  const { detectors, job, log, run } = one
  const { reason, message } = refusal
  if (reason === 'detector-none' && mediaType) return await leftToOthers(mediaType, one)
  const lastBy = isDetectorsOwn(reason) ? by : null
  if (lastBy && isByOther(lastBy, job.asset.contentHash, detectors)) throw replacedMeanwhile(refusal)
  log.info({ asset: job.asset.id, attempt: run.attempt, reason, detail: message }, 'abstained')
  return { kind: 'done', result: { outcome: 'abstained', reason, message, ...(lastBy && { by: lastBy }) } }
}

/** Waits for a daemon that can judge this kind, which may be this one later: no abstention, since nobody has looked at it. */
async function leftToOthers(mediaType: MediaType, { job, log, queue, run }: Analysis): Promise<AnalyzeEnd> {
  const { asset } = job
  // Its detector was unloaded meanwhile: no other job of this queue is taken here.
  if (asset.mediaType !== null) return { kind: 'hold', reason: 'detector-none', delayMs: DETECTOR_GONE_MS }
  const typed: AnalyzeJob = { ...job, asset: { ...asset, mediaType } }
  await queue.add(analyzeQueue(mediaType), run.id, typed, { priority: priorityOf(asset.turnaround) })
  log.debug({ asset: asset.id, mediaType }, 'asset was left to a daemon with a detector for it')
  return { kind: 'done', result: { outcome: 'moved', mediaType } }
}

/** Of what kind a file is and who judges it; null where that is not known. */
interface Judge {
  readonly mediaType: MediaType | null
  readonly by: LookedAtBy | null
}

/** An asset that gets no score, with the reason why. */
interface Refused extends Judge {
  readonly refusal: AttestdError
}

interface Found {
  /** With the media type that was judged. */
  readonly asset: TypedAsset
  readonly by: LookedAtBy | null
  readonly detection: Detection
  readonly cached: boolean
  /** The bytes, still to be released; null where the verdict was kept from before. */
  readonly media: FetchedMedia | null
}

/** A submission that ended because the asset seemed closed makes way: the service offers the asset again. */
async function addSubmission(id: string, job: SubmitJob, { queue }: AnalyzeOptions): Promise<void> {
  const add = () => queue.add('submit', id, storeSubmitJob(job), { priority: priorityOf(job.asset.turnaround) })
  if ((await add()).added) return
  if ((await endedClosed(queue, id)) && (await queue.remove('submit', id, 'completed'))) await add()
}

/** @returns null while another job measures the same content */
async function lookAt(one: Analysis): Promise<Found | Refused | null> {
  const { detectors, events, job, run } = one
  const { asset } = job
  const { id, signal } = run
  const fetchMedia = () => fetchAside(job, run, one)
  let fetched: FetchedMedia | null = null
  let judge: Judge = { mediaType: asset.mediaType, by: null }
  try {
    if (asset.mediaType === null) fetched = await fetchMedia()
    const mediaType = asset.mediaType ?? (await sniffedType(fetched!.file))
    const typed: TypedAsset = { ...asset, mediaType }
    const { contentHash } = asset
    const detector = detectors.detectorFor(mediaType, contentHash)
    judge = judgeOf(mediaType, detector, detectors)
    if (!detector) throw new AttestdError('detector-none', `No detector is loaded for ${mediaType}.`)
    const { expectedShare, platform } = detectors
    const key = { contentHash, detectorDigest: detector.digest, mediaType, platform, expectedShare }
    const known = await knownDetection(key, one)
    if (!known) fetched ??= await fetchMedia()
    const once =
      known ??
      // Claimed once the bytes are here: an address that never answers holds up no other asset with the same content.
      (await detectOnce(key, one, () => {
        // The detectors may have been replaced while the media was fetched.
        judge = judgeOf(mediaType, detectors.detectorFor(mediaType, contentHash), detectors)
        const { stepAside } = run
        return detectors.detect({ file: fetched!.file, mediaType, contentHash, label: id, stepAside }, signal)
      }).catch(async (error: unknown) => {
        if (isAbstention(error)) events.refused?.({ asset: typed, detector })
        throw await markedFailure(await countedKill(error, key, one), key, one)
      }))
    if (once && !once.cached) {
      events.detected?.({ asset: typed, detection: once.detection })
      return { asset: typed, by: judge.by, ...once, media: fetched }
    }
    fetched?.release()
    return once && { asset: typed, by: judge.by, ...once, media: null }
  } catch (error) {
    fetched?.release()
    if (isAbstention(error)) return { refusal: error, ...judge }
    throw error
  }
}

/** A detection that was kept of before, or that is made now. */
interface Once {
  readonly detection: Detection
  readonly cached: boolean
}

async function knownDetection(key: VerdictKey, { log, verdicts }: AnalyzeOptions): Promise<Once | null> {
  const detection = await kept(log, () => verdicts.get(key))
  return detection && { detection, cached: true }
}

/** @returns null while another owner measures the same content */
function detectOnce(key: VerdictKey, one: Analysis, measure: () => Promise<Detection>): Promise<Once | null> {
  const { clock, log, queue, run, verdicts } = one
  const claim = { claims: queue.claims, clock, owner: run.id, onFailure: (error: unknown) => warnOfStore(log, error) }
  return claimedWork(verdictName(key), claim, async () => {
    // It may have come between the look and the claim.
    const late = await knownDetection(key, one)
    if (late) return late
    const detection = await measure()
    // By what measured it: the detectors may have been replaced while the media was fetched.
    await kept(log, () => verdicts.put({ ...key, detectorDigest: detection.detectorDigest }, detection))
    return { detection, cached: false }
  })
}

function judgeOf(
  mediaType: MediaType,
  detector: { readonly digest: string } | null,
  { platform }: DetectorHost,
): Judge {
  return { mediaType, by: detector && { mediaType, detectorDigest: detector.digest, platform } }
}

/** Counts tries in which the detector process was killed; with the last of them the file counts as what crashes it. */
async function countedKill(error: unknown, { detectorDigest }: VerdictKey, { job, run }: Analysis): Promise<unknown> {
  if (run.signal.aborted || !(error instanceof AttestdError) || error.reason !== 'detector-killed') return error
  const count = (job.kills?.detectorDigest === detectorDigest ? job.kills.count : 0) + 1
  if (count < MAX_KILLS) {
    await run.save({ ...job, kills: { detectorDigest, count } } satisfies AnalyzeJob)
    return error
  }
  const message = `The detector process was killed ${count} times while it worked on this file.`
  return new AttestdError('detector-crashed', message, { cause: error, facts: error.facts })
}

/** Marks a job whose file its detector failed on, so that `retryForDetectors` knows which others to give it to. */
async function markedFailure(
  error: unknown,
  { detectorDigest, mediaType }: VerdictKey,
  { detectors, job, run }: Analysis,
): Promise<unknown> {
  if (run.signal.aborted || !(error instanceof AttestdError) || !isByDetector(error.reason)) return error
  if (detectors.detectorFor(mediaType, job.asset.contentHash)?.digest !== detectorDigest) {
    return replacedMeanwhile(error)
  }
  const failedBy = { mediaType, detectorDigest, platform: detectors.platform }
  const failedBefore = failuresOf(job).slice(0, MAX_LOOKS)
  await run.save({ ...job, failedBy, failedBefore, kills: undefined } satisfies AnalyzeJob)
  return error
}

function replacedMeanwhile(cause: AttestdError): AttestdError {
  const message = 'The detector that gave the file no score was replaced meanwhile.'
  return new AttestdError('detector-unavailable', message, { cause })
}

async function sniffedType(file: string): Promise<MediaType> {
  const mediaType = mediaTypeOf(await sniff(await readAt(file, 0, SNIFF_BYTES)))
  if (mediaType) return mediaType
  throw new AttestdError('media-unsupported', 'The service states no media type, and the bytes are of an unknown type.')
}

/** The store only saves work: a disk or Redis that fails costs a second inference, not the job. */
async function kept<T>(log: Log, work: () => Promise<T>): Promise<T | null> {
  try {
    return await work()
  } catch (error) {
    warnOfStore(log, error)
    return null
  }
}

function warnOfStore(log: Log, error: unknown): void {
  const failure = toAttestdError(error, 'data-dir-unusable')
  log.warn({ reason: failure.reason, err: failure }, 'verdict store failed')
}

function verdictOf(detection: Detection): Verdict {
  return {
    risk: roundedRisk(detection.risk),
    algorithm: `${detection.detectorId}@${detection.detectorVersion}`,
    notes: detection.notes,
    detectorDigest: detection.detectorDigest,
    unsure: detection.unsure,
    unsureBecause: detection.unsureBecause,
    rawScore: detection.rawScore,
    platform: detection.platform,
    expectedShare: detection.expectedShare,
  }
}
