import type { Clock } from '../core/clock.js'
import { AttestdError, toAttestdError } from '../core/errors.js'
import { riskText } from '../core/risk.js'
import type { Detection } from '../detect/detection.js'
import type { QueueEngine } from '../queue/queues.js'
import type { AttesterService } from '../service/port.js'
import { type AnalyzeJob, PRIORITY_MS, type SubmitJob, storeSubmitJob, submitJobIn, type TypedAsset } from './jobs.js'
import { OPEN_AT_MOST_MS } from './other-detector.js'
import type { Decision, Review } from './review.js'

export interface WaitingReview {
  /** Of its job. */
  readonly id: string
  readonly job: SubmitJob & { readonly asset: TypedAsset; readonly review: Review }
}

/** The ports of a decision. */
export interface DeskOptions {
  readonly queue: Pick<QueueEngine, 'find' | 'replace'>
  /** Its `now` is service time where that is known: deadlines are. */
  readonly clock: Pick<Clock, 'now' | 'sleep'>
  /** Where this daemon reaches the service: an asset that is closed or scored is then refused at once. */
  readonly service?: Pick<AttesterService, 'find'> | undefined
}

/** A job is looked at by a worker for some milliseconds, in which it cannot be replaced. */
const TRIES = 20
const TRY_AGAIN_MS = 100

/** What a person gets to see of an unsure detection, and until when, by service time where the job states it. */
export function reviewOf(
  { evidence, parts }: Detection,
  doubt: string,
  { asset, seenAt: localAt, seenServiceAt: seenAt = localAt }: AnalyzeJob,
): Review {
  const closesAt = asset.closesAt ?? seenAt + OPEN_AT_MOST_MS
  const deadline = asset.turnaround === 'priority_5min' ? Math.min(closesAt, seenAt + PRIORITY_MS) : closesAt
  return { deadline, doubt, parts: [...parts], evidence: [...evidence] }
}

/** The data of a submit job that waits for a person; null for any other. */
export function inReview(id: string, data: unknown): WaitingReview | null {
  const job = submitJobIn(data)
  const { asset, decision, review } = job ?? {}
  const mediaType = asset?.mediaType
  if (!job || !asset || !mediaType || review === undefined || decision !== undefined) return null
  return { id, job: { ...job, asset: { ...asset, mediaType }, review } }
}

/** All that wait for a person, the nearest deadline first. @param now Unix ms of service time; those whose deadline passed are left out */
export async function waitingReviews(queue: Pick<QueueEngine, 'pending'>, now: number): Promise<WaitingReview[]> {
  const found: WaitingReview[] = []
  for await (const { data, id } of queue.pending('submit')) {
    const waiting = inReview(id, data)
    if (waiting && waiting.job.review.deadline > now) found.push(waiting)
  }
  return found.sort((a, b) => a.job.review.deadline - b.job.review.deadline)
}

/**
 * One that waits for a person.
 * @throws AttestdError review-decided, review-expired, fleet-code-wrong, queue-unreachable
 */
export async function openReview(id: string, options: LookOptions): Promise<WaitingReview> {
  return (await lookUp(id, options)).waiting
}

interface LookOptions {
  readonly queue: Pick<QueueEngine, 'find'>
  readonly clock: Pick<Clock, 'now'>
}

/** @returns also the data as the queue has it */
async function lookUp(id: string, { clock, queue }: LookOptions) {
  const found = await queue.find('submit', id)
  if (found?.forged) throw new AttestdError('fleet-code-wrong')
  const waiting = found && found.state !== 'completed' && found.state !== 'failed' ? inReview(id, found.data) : null
  if (waiting === null) throw new AttestdError('review-decided', decidedText(found?.data))
  const { deadline } = waiting.job.review
  if (deadline > clock.now()) return { waiting, data: found?.data }
  throw new AttestdError('review-expired', `The deadline was ${new Date(deadline).toISOString()}.`)
}

function decidedText(data: unknown): string {
  const { decision } = submitJobIn(data) ?? {}
  if (decision) return `${decision.by} decided ${riskText(decision.risk)} at ${new Date(decision.at).toISOString()}.`
  return 'The asset no longer waits for a decision: it was decided, closed or scored meanwhile.'
}

/**
 * Writes a decision into the job that waits, so that the submit stage sends it as any score. Of several decisions the first
 * counts, also where a daemon was suspended in between.
 * @throws AttestdError review-decided, review-expired, asset-closed, score-conflict, fleet-code-wrong, queue-unreachable
 */
export async function decide(id: string, decided: Omit<Decision, 'at'>, options: DeskOptions): Promise<void> {
  const { clock, service } = options
  const { asset } = (await openReview(id, options)).job
  if (service) await refuseEnded(asset.id, service)
  const decision = { ...decided, at: clock.now() }
  let lost: unknown = null
  for (let tries = 0; tries < TRIES; tries++) {
    try {
      // What was done although its answer was lost is there by now.
      if (lost !== null && (await isRecorded(id, decision, options))) return
      if (await recorded(id, decision, options)) return
    } catch (error) {
      if (lost !== null || toAttestdError(error).reason !== 'queue-unreachable') throw error
      lost = error
    }
    await clock.sleep(TRY_AGAIN_MS)
  }
  throw new AttestdError('queue-unreachable', 'The queue did not accept the decision; nothing was recorded.')
}

/** @returns false where the job could not be changed now */
async function recorded(id: string, decision: Decision, options: DeskOptions): Promise<boolean> {
  const { data, waiting } = await lookUp(id, options)
  return options.queue.replace('submit', id, data, storeSubmitJob({ ...waiting.job, decision }))
}

async function isRecorded(id: string, { at, by }: Decision, { queue }: DeskOptions): Promise<boolean> {
  const { decision } = submitJobIn((await queue.find('submit', id))?.data) ?? {}
  return decision?.at === at && decision.by === by
}

/** What the service states; a service that does not answer is asked again before the score is sent. */
async function refuseEnded(assetId: string, service: Pick<AttesterService, 'find'>): Promise<void> {
  const asset = await service.find(assetId).catch(() => undefined)
  if (asset === null) throw new AttestdError('asset-closed')
  if (typeof asset?.myScore !== 'number') return
  throw new AttestdError('score-conflict', `The service has a score of ${riskText(asset.myScore)} by this attester.`)
}
