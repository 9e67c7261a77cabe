import { AttestdError, toAttestdError } from '../core/errors.js'
import type { Log } from '../core/log.js'
import { honoredDelayMs } from '../core/retry.js'
import { basisPointsOf, percentOf, type Risk, riskText } from '../core/risk.js'
import type { JobEnd, JobRun } from '../queue/queues.js'
import type { Asset, AttesterService } from '../service/port.js'
import type { ServiceClock } from '../service/service-clock.js'
import type { Doppelgangers } from './doppelgangers.js'
import type { Gate, GateAnswer } from './gate.js'
import {
  parseSubmitJob,
  type StoredSubmitJob,
  type StoredSubmitResult,
  type SubmitJob,
  type SubmitResult,
  storeSubmitJob,
  storeSubmitResult,
} from './jobs.js'
import { type Review, statedOf } from './review.js'

/** The ports of the submit stage, and the times by which an unclear send is known to be settled. */
export interface SubmitOptions {
  readonly service: AttesterService
  readonly gate: Gate
  readonly serviceClock: Pick<ServiceClock, 'now' | 'state'>
  /** How long a signed request stays acceptable after it was signed, ms. */
  readonly timestampWindowMs: number
  /** Longest time the service may take to store a request that it accepted, ms. */
  readonly storeTimeMs: number
  /** Reads the stake again after a 403 or 401. @returns whether the key is let in; null where that could not be found out */
  readonly confirmStake: (signal: AbortSignal) => Promise<boolean | null>
  readonly doppelgangers: Pick<Doppelgangers, 'found' | 'isForeign'>
  readonly log: Log
}

/** Only what is in the units of the queue may be saved. */
type SubmitRun = Omit<JobRun<unknown>, 'save'> & { save(data: StoredSubmitJob): Promise<void> }
type SubmitEnd = JobEnd<StoredSubmitResult>

interface Submission extends SubmitOptions {
  readonly job: SubmitJob
  readonly run: SubmitRun
}

/** Pause of a job whose question or send was refused by a gate of the service, ms. */
const REFUSED_PAUSE_MS = 5000
/** A job that waits for a person looks at its deadline this often, ms. */
const REVIEW_LOOK_MS = 5 * 60_000
/** Server errors of the service itself, done with the request; any other may come from a proxy before it. */
const FINAL_STATUSES = new Set<unknown>([500, 501])

/**
 * What the queue `submit` runs its jobs by: turns a verdict into a receipt, at most once. Asks the service for its own
 * score before every send; records the attempt durably before the first byte leaves; and after an unclear end sends
 * again only when the earlier request can no longer be accepted, because its timestamp has left the service's window.
 */
export function submit(options: SubmitOptions): (run: SubmitRun) => Promise<SubmitEnd> {
  return async (run) => receiptFor({ ...options, run, job: parseSubmitJob(run.data) })
}

async function receiptFor(one: Submission): Promise<SubmitEnd> {
  const { job, run } = one
  const gate = one.gate.check()
  if (!gate.open) return heldBy(gate)
  if (job.review && !job.decision) return untilDecided(job.review, one)

  try {
    const standing = await ask(one)
    if (standing !== 'free') return standing
    return await send(one)
  } catch (error) {
    if (run.signal.aborted) throw error
    return await holdOrThrow(toAttestdError(error), one)
  }
}

const heldBy = ({ reason, retryInMs }: Exclude<GateAnswer, { open: true }>): SubmitEnd => ({
  kind: 'hold',
  reason,
  delayMs: retryInMs,
})

/** Waits for a person, who puts a decided job in the place of this one, until the deadline. */
function untilDecided({ deadline, doubt }: Review, one: Submission): SubmitEnd {
  const leftMs = deadline - one.serviceClock.now()
  if (leftMs > 0)
    return { kind: 'hold', reason: 'review-waiting', delayMs: Math.min(Math.ceil(leftMs), REVIEW_LOOK_MS) }
  const { algorithm, risk } = one.job.verdict
  const message = `Nobody decided; the risk of ${riskText(risk)} by ${algorithm} ${doubt}.`
  return finish(one, { outcome: 'abstained', reason: 'review-expired', message })
}

/** What the service has on record; `free` when a send cannot double an earlier one. */
async function ask(one: Submission): Promise<SubmitEnd | 'free'> {
  const { gate, job, log, run, service, serviceClock } = one
  // Read before asking: only what has settled by the time of the question is covered by its answer.
  const askedAt = serviceClock.now()
  const asset = await service.find(job.asset.id, run.signal)
  gate.wentThrough()
  if (typeof asset?.myScore === 'number') {
    const foreign = job.sent === null && (await suspect(job.unscoredAt, one))
    return onRecord({ ...asset, myScore: asset.myScore }, foreign, one)
  }
  const clockErrorMs = serviceClock.state().errorBoundMs ?? 0
  const settlesInMs = job.sent ? job.sent.settledAt + clockErrorMs - askedAt : 0
  // Also where the asset seems closed: it may open again, and then this record must still be known.
  if (settlesInMs > 0) return { kind: 'hold', reason: 'score-unconfirmed', delayMs: Math.ceil(settlesInMs) }
  if (asset === null) return closed(one)
  const { contentHash } = asset
  if (contentHash === job.asset.contentHash) return 'free'
  // The verdict is about other bytes. Ended as closed, the asset is offered and analyzed again.
  log.warn({ asset: asset.id, contentHash }, 'asset changed its content')
  return closed(one)
}

async function send(one: Submission): Promise<SubmitEnd> {
  const { job, run, serviceClock, storeTimeMs, timestampWindowMs } = one
  const { asset } = job
  const signedAt = serviceClock.now()
  const sent = { tries: (job.sent?.tries ?? 0) + 1, settledAt: signedAt + timestampWindowMs + storeTimeMs }
  await run.save(storeSubmitJob({ ...job, sent }))
  let gate = { open: true } as GateAnswer
  // To ask, to attest and to connect takes a while, in which the gate may have closed.
  const lastLook = () => {
    gate = one.gate.check()
    if (!gate.open) throw new AttestdError(gate.reason)
  }
  try {
    const { risk, algorithm, notes } = statedOf(job)
    const score = { assetId: asset.id, contentHash: asset.contentHash, risk, algorithm, notes }
    const sending = one.service.submit(score, signedAt, run.signal, lastLook)
    return finish(one, { outcome: 'accepted', ...(await sending) })
  } catch (error) {
    // Another worker may hold the job by now: the record stays as it was written before the send.
    if (run.signal.aborted) throw error
    const failure = toAttestdError(error)
    if (isFinal(failure)) {
      await run.save(storeSubmitJob({ ...job, sent: { ...sent, settledAt: 0 } }))
    } else if (error instanceof AttestdError && !error.ambiguous) {
      // Surely not stored: the record of the attempt would only delay the next one.
      await run.save(storeSubmitJob({ ...job, sent: null }))
      if (!gate.open) return heldBy(gate)
      if (failure.reason === 'asset-closed') return closed({ ...one, job: { ...job, sent: null } })
    } else if (failure.reason === 'asset-closed' || (failure.reason === 'service-refused' && sent.tries === 1)) {
      // A proxy may answer so after it passed the score on: the service is asked.
      return { kind: 'hold', reason: 'score-unconfirmed', delayMs: REFUSED_PAUSE_MS }
    }
    if (failure.reason === 'score-conflict') return settleConflict(signedAt, failure, one)
    throw failure
  }
}

/** Whether the service itself is done with the request, so that the next question already settles it. */
function isFinal({ reason, facts }: AttestdError): boolean {
  return reason === 'service-failing' && FINAL_STATUSES.has(facts.status) && facts.withoutErrorBody !== true
}

/**
 * Judges a score that this job has no attempt of. @param unscoredAt see `Doppelgangers.isForeign`
 * @returns whether it is surely another's
 */
async function suspect(unscoredAt: number | null, { doppelgangers, job, run }: Submission): Promise<boolean> {
  if (!doppelgangers.isForeign(unscoredAt)) return false
  // Throws where another worker has the job by now, and may have sent the score.
  await run.save(storeSubmitJob(job))
  doppelgangers.found(job.asset.id)
  return true
}

/**
 * A conflict over the same value is "same again", which is success; over another value it is an error.
 * @param askedAt service time (Unix ms) at which the service had no score
 */
async function settleConflict(askedAt: number, conflict: AttestdError, one: Submission): Promise<SubmitEnd> {
  const { job, run, service } = one
  const asset = await service.find(job.asset.id, run.signal)
  if (!asset) return closed(one)
  const { myScore } = asset
  if (typeof myScore !== 'number') throw conflict
  if (isOurs(myScore, job)) return onRecord({ ...asset, myScore }, false, one)
  if (job.sent === null) await suspect(askedAt, one)
  throw conflict
}

/** Basis points; half a percentage point, so that a service that keeps whole percents still shows our score. */
const ROUNDING = 50

/** Whether a score on record has the value that this job states. */
function isOurs(risk: Risk, job: SubmitJob): boolean {
  return Math.abs(basisPointsOf(risk) - basisPointsOf(statedOf(job).risk)) <= ROUNDING
}

/** The end of a job whose asset has a score of this attester: one that is surely another's, or has another value than the verdict, is foreign. */
function onRecord(asset: Asset & { readonly myScore: Risk }, foreign: boolean, one: Submission): SubmitEnd {
  const { myAlgorithm, myScore: risk } = asset
  if (!foreign && isOurs(risk, one.job))
    return finish(one, { outcome: 'confirmed', scoreId: null, risk, attester: null })
  return finish(one, { outcome: 'foreign', risk, algorithm: myAlgorithm ?? null })
}

const closed = (one: Submission): SubmitEnd => finish(one, { outcome: 'closed', maybeStored: one.job.sent !== null })

const MESSAGES = {
  accepted: 'score submitted',
  confirmed: 'score submitted',
  closed: 'asset was closed before a score was confirmed',
  abstained: 'abstained',
} as const

function finish({ job, log, run }: Submission, result: SubmitResult): SubmitEnd {
  const stored = storeSubmitResult(result)
  const facts = { asset: job.asset.id, attempt: run.attempt, ...stored }
  if (result.outcome === 'foreign') {
    const ours = percentOf(statedOf(job).risk)
    log.warn({ ...facts, ours }, 'score on record is foreign; it was not changed')
  } else log.info(facts, MESSAGES[result.outcome])
  return { kind: 'done', result: stored }
}

/** A 429 speaks for every submission; a 403 does where the stake is refused too, else it is about this asset alone. */
async function holdOrThrow(failure: AttestdError, { confirmStake, gate, run }: Submission): Promise<SubmitEnd> {
  const { reason } = failure
  if (reason === 'service-rate-limited') {
    return { kind: 'hold', reason, delayMs: gate.slowDown(failure.retryAfterMs) }
  }
  // The list shows whether the key is refused, or this request alone.
  if (reason === 'service-unauthorized') await confirmStake(run.signal)
  if (reason !== 'service-forbidden') throw failure
  if ((await confirmStake(run.signal)) === true) {
    throw new AttestdError('score-forbidden', failure.message, { cause: failure, facts: failure.facts })
  }
  const delayMs = honoredDelayMs(failure.retryAfterMs, REFUSED_PAUSE_MS)
  return { kind: 'hold', reason: gate.shutOut ?? reason, delayMs }
}
