import type { Clock } from '../core/clock.js'
import { isAbort, toAttestdError } from '../core/errors.js'
import { jobIdOf } from '../core/ids.js'
import type { Log } from '../core/log.js'
import { backoffMs, honoredDelayMs } from '../core/retry.js'
import type { QueueEngine } from '../queue/queues.js'
import type { Asset, AttesterService, ServiceEvent, Stake, Turnaround } from '../service/port.js'
import { type AnalyzeJob, jobAssetOf, parseAnalyzeJob, priorityOf } from './jobs.js'
import type { PipelineEvents } from './pipeline-events.js'

export interface IntakeOptions {
  readonly service: AttesterService
  readonly queue: Pick<QueueEngine, 'add' | 'remove' | 'pending'>
  readonly clock: Clock
  readonly random: () => number
  readonly log: Log
  readonly events: PipelineEvents
  /** Pause between two lists, ms. */
  readonly listEveryMs: number
  readonly onStake: (stake: Stake) => void
  /** The service refused the list (403), as it does below the minimum stake. */
  readonly onForbidden: () => void
}

/**
 * An asset offered to the queue is offered again after this time, ms. Adding is a no-op while the queue holds the job,
 * so this only mends a queue that lost it.
 */
const REOFFER_MS = 5 * 60_000
/** A service that asks for a longer pause between lists than this is asked again anyway, ms. */
const MAX_LIST_PAUSE_MS = 10 * 60_000
const LIST_BACKOFF = { baseMs: 1000, maxMs: 60_000 } as const

/** Decides what and when: turns the open set into analyze jobs, once per asset, and drops those of closed assets. */
export class Intake {
  readonly #options: IntakeOptions
  /** Asset id to the last offer, by monotonic time. */
  readonly #offered = new Map<string, { readonly at: number; readonly turnaround: Turnaround }>()

  constructor(options: IntakeOptions) {
    this.#options = options
  }

  /** Runs stream and list until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    await this.#recallPending()
    await Promise.all([this.#followStream(signal), this.#listRegularly(signal)])
  }

  /** Forgets what was offered, so that the next list offers everything again; for a queue that may have lost jobs. */
  forget(): void {
    this.#offered.clear()
  }

  /** After a restart the queue knows more than this process: without it, jobs of assets closed meanwhile would run. */
  async #recallPending(): Promise<void> {
    for await (const job of this.#options.queue.pending('analyze')) {
      try {
        const { id, turnaround } = parseAnalyzeJob(job.data).asset
        this.#offered.set(id, { at: this.#options.clock.monotonic(), turnaround })
      } catch {
        // A malformed job names itself when it runs; here it only has no asset to remember.
      }
    }
  }

  async #followStream(signal: AbortSignal): Promise<void> {
    for await (const event of this.#options.service.watch(signal)) {
      this.#options.events.streamEvent?.(event)
      await this.#guarded('handle a stream event', () => this.#onEvent(event))
    }
  }

  async #onEvent(event: ServiceEvent): Promise<void> {
    if (event.kind === 'ready' && event.stake) this.#options.onStake(event.stake)
    if (event.kind === 'delta') await this.#offerAll(event.assets)
    if (event.kind === 'snapshot') {
      await this.#offerAll(event.assets)
      await this.#dropClosed(new Set(event.ids))
    }
  }

  async #listRegularly(signal: AbortSignal): Promise<void> {
    const { clock, listEveryMs, log, random, service } = this.#options
    let failures = 0
    while (!signal.aborted) {
      let pauseMs = listEveryMs
      try {
        const { assets, stake } = await service.listOpen({ includeMyScore: true }, signal)
        failures = 0
        if (stake) this.#options.onStake(stake)
        await this.#guarded('queue listed assets', () => this.#offerAll(assets))
      } catch (error) {
        if (signal.aborted) return
        const failure = toAttestdError(error)
        failures++
        if (failure.reason === 'service-forbidden') this.#options.onForbidden()
        pauseMs = honoredDelayMs(failure.retryAfterMs, backoffMs(failures, LIST_BACKOFF, random), MAX_LIST_PAUSE_MS)
        log.warn({ reason: failure.reason, err: failure, retryInMs: pauseMs }, 'listing open assets failed')
      }
      await clock.sleep(pauseMs, signal).catch(() => {})
    }
  }

  async #offerAll(assets: readonly Asset[]): Promise<void> {
    // Urgent assets first, so that a large snapshot does not delay them while it is queued.
    const urgentFirst = [...assets].sort((a, b) => priorityOf(a.turnaround) - priorityOf(b.turnaround))
    for (const asset of urgentFirst) await this.#offer(asset)
  }

  async #offer(asset: Asset): Promise<void> {
    const { clock, events, log, queue } = this.#options
    if (typeof asset.myScore === 'number') return events.skipped?.('already-scored', asset)
    const now = clock.monotonic()
    const last = this.#offered.get(asset.id)
    if (last && now - last.at < REOFFER_MS) return
    const job: AnalyzeJob = { asset: jobAssetOf(asset), seenAt: clock.now() }
    const { added } = await queue.add('analyze', jobIdOf(asset.id), job, { priority: priorityOf(asset.turnaround) })
    this.#offered.set(asset.id, { at: now, turnaround: asset.turnaround })
    if (!added) return events.skipped?.('already-queued', asset)
    events.enqueued?.(job.asset)
    log.debug({ asset: asset.id, mediaType: asset.mediaType, turnaround: asset.turnaround }, 'asset queued')
  }

  async #dropClosed(open: ReadonlySet<string>): Promise<void> {
    for (const [assetId, { turnaround }] of [...this.#offered].filter(([id]) => !open.has(id))) {
      this.#offered.delete(assetId)
      if (!(await this.#options.queue.remove('analyze', jobIdOf(assetId)))) continue
      this.#options.events.dropped?.({ assetId, turnaround })
      this.#options.log.info({ asset: assetId, reason: 'asset-closed' }, 'job of a closed asset dropped')
    }
  }

  /** The queue may be away for a while; intake goes on and offers again what it could not queue. */
  async #guarded(what: string, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (isAbort(error)) return
      const failure = toAttestdError(error, 'queue-unreachable')
      this.forget()
      this.#options.log.warn({ reason: failure.reason, err: failure }, `could not ${what}`)
    }
  }
}
