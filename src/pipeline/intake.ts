import type { Clock } from '../core/clock.js'
import { type AttestdError, toAttestdError } from '../core/errors.js'
import type { Log } from '../core/log.js'
import type { Reason } from '../core/reasons.js'
import { backoffMs, honoredDelayMs } from '../core/retry.js'
import type { Risk } from '../core/risk.js'
import { jobIdOf } from '../core/text.js'
import { unlessAborted } from '../core/time-limit.js'
import { ANALYZE_QUEUES, type AnalyzeQueue, analyzeQueue, type QueueEngine, type QueueName } from '../queue/queues.js'
import type { Asset, AttesterService, Stake, Turnaround } from '../service/port.js'
import type { ServiceClock } from '../service/service-clock.js'
import type { Doppelgangers } from './doppelgangers.js'
import {
  type AnalyzeJob,
  analyzeResult,
  assetOfJob,
  endedClosed,
  type JobAsset,
  jobAssetOf,
  lacksSubmission,
  parseAnalyzeJob,
  priorityOf,
  queueOf,
} from './jobs.js'
import { OfferLine, type ReadAsset } from './offer-line.js'
import type { PipelineEvents } from './pipeline-events.js'
import { inReview } from './review-desk.js'
import { isRefusal } from './stake-reader.js'

/** The ports of intake; `random` is for the jitter of pauses after a failed list. */
export interface IntakeOptions {
  readonly service: AttesterService
  readonly queue: Pick<QueueEngine, 'add' | 'find' | 'pending' | 'remove' | 'result'>
  readonly clock: Clock
  readonly random: () => number
  readonly serviceClock: Pick<ServiceClock, 'now' | 'state'>
  readonly doppelgangers: Pick<Doppelgangers, 'found' | 'isForeign'>
  readonly log: Log
  readonly events: PipelineEvents
  /** Pause between two lists, ms. */
  readonly listEveryMs: number
  /** Called for every list and stream that the service let this key read; null where it did not state the stake. */
  readonly onStake: (stake: Stake | null) => void
  /** The service refused the list: the credentials (401), or as it does below the minimum stake (403). */
  readonly onRefused: (failure: AttestdError) => void
  /** The service refused the stream, or reported an error on it: its list may state more of the stake. */
  readonly onStreamRefused: (signal: AbortSignal) => void
}

/**
 * An asset offered to the queue is offered again after this time, ms. Adding is a no-op while the queue holds the job,
 * so this only repairs a queue that lost it or the submission that came of it.
 */
const REOFFER_MS = 5 * 60_000
/**
 * How often the jobs in the queue are read for assets that this process does not know of, ms. A job in passing trouble
 * ends only when intake sees its asset closed, so none may stay unknown.
 */
const RECALL_EVERY_MS = 5 * 60_000
/** An asset that seemed closed and is still offered is looked at again after this time, ms. */
const RECONSIDER_MS = 10_000
/**
 * A snapshot may have waited for its turn, so what was offered in the last while before it was read may not be in it
 * yet, and is not closed for that, ms.
 */
const SNAPSHOT_LAG_MS = 5000
/** Assets that are being added to the queue at the same time, and closed ones that are being dropped from it. */
const LANES = 8
const QUEUE_PAUSE_MS = 1000
/** A stream event that was too large or was not read is answered by the list, but not sooner than this after the last one, ms. */
const LIST_SOON_MS = 5000
/** Nor sooner than so many times what the last one took: a list of 10,000 assets costs the service and this process a second. */
const LIST_PAUSES = 10
/** Trouble of the stream by which a service turns a key away. */
const REFUSALS: ReadonlySet<Reason> = new Set<Reason>(['service-forbidden', 'stream-error-event'])
const UNKNOWN = analyzeQueue(null)
const LIST_BACKOFF = { baseMs: 1000, maxMs: 60_000 } as const

interface Offer {
  /** Monotonic time, ms. */
  readonly at: number
  readonly turnaround: Turnaround
  /** Where its analysis was put; one of an unknown kind may have moved on since. */
  readonly queue: AnalyzeQueue
  /** Its score is on record: no job is left to drop. */
  readonly isScored?: true
  /** The stream named it. A snapshot without an asset that only the list named may be older than the list. */
  isStreamed: boolean
  /** Service time (Unix ms) at which a list last stated no score; null before that, and once a later score was judged. */
  unscoredAt: number | null
}

/** Decides what and when: turns the open set into analyze jobs, once per asset, and drops those of closed assets. */
export class Intake {
  readonly #options: IntakeOptions
  /** Open assets that need no further offer for a while: queued, or on record as scored. */
  readonly #offered = new Map<string, Offer>()
  /** Between the stream and the queue, so that an urgent asset overtakes a snapshot that is still being queued. */
  readonly #line = new OfferLine()
  /** The ids of the last list, and when it was asked for, monotonic ms: an earlier offer of others is out of date. */
  #open: { readonly ids: ReadonlySet<string>; readonly before: number } | null = null
  #failedListsInARow = 0
  /** Ends the pause between two lists. */
  #listPause = new AbortController()
  #isHurrying = false
  /** When the last list was asked for, monotonic time, ms. */
  #listedAt = Number.NEGATIVE_INFINITY
  /** How long the last list took to arrive and to be read, ms. */
  #listTookMs = 0
  /** When `#recall` last read the queue, monotonic time, ms. */
  #recalledAt = Number.NEGATIVE_INFINITY

  constructor(options: IntakeOptions) {
    this.#options = options
  }

  /** Runs stream and list until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    // The first list knows what is scored already, which the stream does not state.
    const firstPauseMs = await this.#list(signal)
    const lanes = Array.from({ length: LANES }, () => this.#queueOffers(signal))
    await Promise.all([this.#followStream(signal), this.#listRegularly(firstPauseMs, signal), ...lanes])
  }

  /** Forgets what was offered, so that the next list offers everything again; for a queue that may have lost jobs. */
  forget(): void {
    this.#offered.clear()
    this.#recalledAt = Number.NEGATIVE_INFINITY
  }

  /** Lets the next list or snapshot offer the asset again; for one whose job ended because it seemed closed. */
  reconsider(assetId: string): void {
    const offer = this.#offered.get(assetId)
    if (!offer) return
    // Not at once: a service that lists what it calls closed would keep the pipeline turning.
    this.#offered.set(assetId, { ...offer, at: this.#options.clock.monotonic() - REOFFER_MS + RECONSIDER_MS })
  }

  /** The score of an asset is on record: the queue need not be asked for its job when the asset closes. */
  scored(assetId: string): void {
    const offer = this.#offered.get(assetId)
    if (offer) this.#offered.set(assetId, { ...offer, isScored: true })
  }

  /** The queue knows more than this process, after a restart above all: jobs of assets that closed meanwhile would run. */
  async #recall(): Promise<void> {
    const { clock, log } = this.#options
    const now = clock.monotonic()
    if (this.#open === null || now - this.#recalledAt < RECALL_EVERY_MS) return
    try {
      // A malformed job names itself when it runs; here it only has no asset to remember.
      for (const name of ANALYZE_QUEUES) await this.#remember(name, (_, data) => assetOfJob(data))
      // Those that wait for a person have no analysis left to be found by.
      await this.#remember('submit', (id, data) => inReview(id, data)?.job.asset ?? null)
      this.#recalledAt = now
    } catch (error) {
      log.warn({ reason: toAttestdError(error).reason, err: error }, 'the jobs of the queue could not be read')
    }
    // The last list may have come before these jobs were known. Another daemon's clock tells when they were added.
    await this.#dropClosed(this.#open.ids, this.#open.before - SNAPSHOT_LAG_MS)
  }

  async #remember(name: QueueName, assetOf: (id: string, data: unknown) => JobAsset | null): Promise<void> {
    const { clock, queue } = this.#options
    for await (const { addedAt, data, id } of queue.pending(name)) {
      const asset = assetOf(id, data)
      if (!asset || this.#offered.has(asset.id)) continue
      const at = clock.monotonic() - Math.max(0, clock.now() - addedAt)
      const analyzedIn = name === 'submit' ? analyzeQueue(asset.mediaType) : name
      const { turnaround } = asset
      this.#offered.set(asset.id, { at, turnaround, queue: analyzedIn, unscoredAt: null, isStreamed: false })
      this.#line.delete(asset.id)
    }
  }

  async #followStream(signal: AbortSignal): Promise<void> {
    const { clock, events, onStake, onStreamRefused, service } = this.#options
    for await (const event of service.watch(signal)) {
      events.streamEvent?.(event)
      const isTooLarge = event.kind === 'trouble' && event.reason === 'event-too-large'
      if (isTooLarge || event.kind === 'unread') void this.#hurryList(signal)
      if (event.kind === 'trouble' && REFUSALS.has(event.reason)) onStreamRefused(signal)
      if (event.kind === 'ready') onStake(event.stake)
      if (event.kind === 'delta') this.#want(event.assets, true)
      if (event.kind === 'snapshot') {
        const open = new Set(event.ids)
        this.#line.keepOnly(open)
        this.#want(event.assets, true)
        await this.#dropClosed(open, clock.monotonic() - SNAPSHOT_LAG_MS, ({ isStreamed }) => isStreamed)
      }
    }
  }

  async #listRegularly(firstPauseMs: number, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options
    let pauseMs = firstPauseMs
    while (!signal.aborted) {
      await this.#recall()
      const pause = clock.sleep(pauseMs, this.#listPause.signal).catch(() => {})
      await unlessAborted(pause, signal).catch(() => this.#listPause.abort())
      if (signal.aborted) return
      this.#listPause = new AbortController()
      pauseMs = await this.#list(signal)
    }
  }

  /** Lists soon, except after a list that failed: the service may have asked for the pause. */
  async #hurryList(signal: AbortSignal): Promise<void> {
    if (this.#isHurrying) return
    this.#isHurrying = true
    const { clock } = this.#options
    const pauseMs = Math.max(LIST_SOON_MS, LIST_PAUSES * this.#listTookMs)
    await clock.sleep(Math.max(0, this.#listedAt + pauseMs - clock.monotonic()), signal).catch(() => {})
    this.#isHurrying = false
    if (this.#failedListsInARow === 0) this.#listPause.abort()
  }

  /** @returns how long to wait before the next list, ms */
  async #list(signal: AbortSignal): Promise<number> {
    const { clock, listEveryMs, log, onRefused, onStake, random, service } = this.#options
    const asked = clock.monotonic()
    this.#listedAt = asked
    try {
      const { assets, stake } = await service.listOpen({ includeMyScore: true }, signal)
      this.#failedListsInARow = 0
      this.#listTookMs = clock.monotonic() - asked
      onStake(stake)
      this.#want(assets, false)
      this.#open = { ids: new Set(assets.map(({ id }) => id)), before: asked }
      // What opened while the list was on its way is not in it, and is not closed for that.
      await this.#dropClosed(this.#open.ids, asked)
      await this.#judgeScores(assets)
      return listEveryMs
    } catch (error) {
      if (signal.aborted) return listEveryMs
      const failure = toAttestdError(error)
      if (isRefusal(failure)) onRefused(failure)
      this.#failedListsInARow += 1
      const ownMs = backoffMs(this.#failedListsInARow, LIST_BACKOFF, random)
      const retryInMs = honoredDelayMs(failure.retryAfterMs, ownMs)
      log.warn({ reason: failure.reason, err: failure, retryInMs }, 'listing open assets failed')
      return retryInMs
    }
  }

  #want(assets: readonly Asset[], isStreamed: boolean): void {
    const now = this.#options.clock.monotonic()
    const readAt = this.#serviceNow()
    for (const asset of assets) {
      const offer = this.#offered.get(asset.id)
      if (typeof asset.myScore === 'number') {
        this.#settle(asset, now)
        continue
      }
      if (offer && asset.myScore === null) offer.unscoredAt = readAt ?? offer.unscoredAt
      if (offer && isStreamed) offer.isStreamed = true
      const unscoredAt = asset.myScore === null || asset.scoreCount === 0 ? readAt : null
      if (now - (offer?.at ?? Number.NEGATIVE_INFINITY) >= REOFFER_MS) this.#line.add({ asset, unscoredAt, isStreamed })
    }
  }

  /** Unix ms; null where it is not trusted. */
  #serviceNow(): number | null {
    const { serviceClock } = this.#options
    return serviceClock.state().trusted ? serviceClock.now() : null
  }

  #settle(asset: Asset, now: number): void {
    this.#line.delete(asset.id)
    const known = this.#offered.get(asset.id)
    if (!known) this.#options.events.skipped?.('already-scored', asset)
    const { turnaround } = asset
    const queue = analyzeQueue(asset.mediaType)
    this.#offered.set(asset.id, { unscoredAt: null, isStreamed: false, ...known, at: now, turnaround, queue })
  }

  /** Raises the alarm for a score that came on an asset which this queue abstained from: none of its daemons sent it. */
  async #judgeScores(assets: readonly Asset[]): Promise<void> {
    const { doppelgangers, log } = this.#options
    for (const asset of assets) {
      const offer = this.#offered.get(asset.id)
      if (typeof asset.myScore !== 'number' || !offer || offer.isScored) continue
      if (!doppelgangers.isForeign(offer.unscoredAt)) continue
      try {
        if (await this.#judge(asset, asset.myScore)) offer.unscoredAt = null
      } catch (error) {
        log.warn({ asset: asset.id, reason: toAttestdError(error).reason }, 'a score on record could not be checked')
      }
    }
  }

  /** @returns false where the analysis has not ended yet */
  async #judge(asset: Asset, risk: Risk): Promise<boolean> {
    const { doppelgangers, events, queue } = this.#options
    const id = jobIdOf(asset.id)
    const name = await queueOf(queue, id, asset.mediaType)
    const ended = analyzeResult.safeParse(await queue.result(name, id)).data
    if (ended?.outcome !== 'abstained') return ended !== undefined
    const job = await queue.find(name, id)
    // Of several daemons, the one that removes it reports the score.
    if (!job || !(await queue.remove(name, id, 'completed'))) return true
    doppelgangers.found(asset.id)
    const { seenAt } = parseAnalyzeJob(job.data)
    events.foreign?.({ asset: jobAssetOf(asset), seenAt, risk, algorithm: asset.myAlgorithm ?? null })
    return true
  }

  async #queueOffers(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#options
    for (let read = await this.#line.next(signal); read; read = await this.#line.next(signal)) {
      try {
        await this.#offer(read)
      } catch (error) {
        if (signal.aborted) return
        // The queue may be away for a while; the next list or snapshot contains the assets again.
        this.#line.clear()
        this.forget()
        const failure = toAttestdError(error, 'queue-unreachable')
        log.warn({ reason: failure.reason, err: failure }, 'an asset could not be queued')
        await clock.sleep(QUEUE_PAUSE_MS, signal).catch(() => {})
      }
    }
  }

  async #offer({ asset, unscoredAt, isStreamed }: ReadAsset): Promise<void> {
    const { clock, events, log, queue } = this.#options
    const { id, mediaType, turnaround } = asset
    const before = this.#offered.get(id)
    this.#offered.set(id, {
      at: clock.monotonic(),
      turnaround,
      queue: analyzeQueue(mediaType),
      // Not each event of the stream states whether there is a score.
      unscoredAt: unscoredAt ?? before?.unscoredAt ?? null,
      isStreamed: isStreamed || before?.isStreamed === true,
    })
    const name = await queueOf(queue, jobIdOf(id), mediaType)
    const seenServiceAt = this.#serviceNow() ?? undefined
    const job: AnalyzeJob = { asset: jobAssetOf(asset), seenAt: clock.now(), seenServiceAt, unscoredAt }
    const add = () => queue.add(name, jobIdOf(id), job, { priority: priorityOf(turnaround) })
    const added = (await add()).added || ((await this.#clearEnded(name, id)) && (await add()).added)
    if (!added) return events.skipped?.('already-queued', asset)
    events.enqueued?.(job.asset)
    log.debug({ asset: id, mediaType, turnaround }, 'asset was queued')
  }

  /**
   * Makes way for a new analysis where the last one can lead to no score any more. Of a submission that ended as closed,
   * `analyze` then makes way too. @returns whether the way is free
   */
  async #clearEnded(name: AnalyzeQueue, assetId: string): Promise<boolean> {
    const { queue } = this.#options
    const id = jobIdOf(assetId)
    const ended = (await endedClosed(queue, id)) || (await lacksSubmission(queue, name, id))
    return ended && (await queue.remove(name, id, 'completed'))
  }

  /** @param before monotonic time; what was offered later is left alone @param isJudged whether the absence of the offer means anything */
  async #dropClosed(
    open: ReadonlySet<string>,
    before: number,
    isJudged: (offer: Offer) => boolean = () => true,
  ): Promise<void> {
    const offers = this.#offered.entries()
    // Every lane takes from the same iterator.
    const lane = async () => {
      for (const [assetId, offer] of offers) {
        if (open.has(assetId) || offer.at > before || !isJudged(offer)) continue
        this.#line.delete(assetId)
        if (offer.isScored || (await this.#dropJob(assetId, offer))) this.#offered.delete(assetId)
      }
    }
    await Promise.all(Array.from({ length: LANES }, lane))
  }

  /** The analysis of a closed asset has ended; where a person was to decide, it is too late. @returns as `#dropJob` */
  async #dropReview(id: string): Promise<boolean> {
    const { events, log, queue } = this.#options
    const waiting = inReview(id, (await queue.find('submit', id))?.data)
    if (waiting === null) return true
    if (!(await queue.remove('submit', id, 'waiting'))) return (await queue.result('submit', id)) !== undefined
    const { asset } = waiting.job
    log.info({ asset: asset.id, reason: 'review-expired' }, 'asset was closed before a person decided')
    events.undecided?.({ asset, message: 'The asset was closed before a person decided.' })
    return true
  }

  /** @returns false where there may still be a job to drop: one at work may be put back for another try */
  async #dropJob(assetId: string, offer: Offer): Promise<boolean> {
    const { events, log, queue } = this.#options
    const id = jobIdOf(assetId)
    try {
      const name = offer.queue === UNKNOWN ? await queueOf(queue, id, null) : offer.queue
      const job = await queue.find(name, id)
      if (job?.state === 'failed') return true
      if (job === null || job.state === 'completed') return await this.#dropReview(id)
      if (!(await queue.remove(name, id, 'waiting'))) return false
      const { attempts, failure } = job
      events.dropped?.({ turnaround: offer.turnaround, asset: assetOfJob(job.data), failure })
      const facts = { asset: assetId, attempts, reason: 'asset-closed', lastReason: failure?.reason }
      log.info(facts, 'job of a closed asset was dropped')
      return true
    } catch (error) {
      log.warn(
        { asset: assetId, reason: toAttestdError(error).reason },
        'the job of a closed asset could not be dropped',
      )
      return false
    }
  }
}
