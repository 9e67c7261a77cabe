import { z } from 'zod'
import type { Clock } from '../core/clock.js'
import type { Log } from '../core/log.js'
import { readJson } from '../core/text.js'
import type { SharedTexts } from '../queue/claims.js'
import type { ServiceClock } from '../service/service-clock.js'
import type { Gate } from './gate.js'

/** What tells a score of another daemon from one that this queue sent and forgot. */
export interface DoppelgangerOptions {
  readonly clock: Pick<Clock, 'monotonic' | 'sleep'>
  readonly serviceClock: Pick<ServiceClock, 'now' | 'state'>
  /** How long after it was signed a score may still come on record, by a clock without error, ms. */
  readonly settleMs: number
  /** `stop` closes the gate of every daemon on the queue until that daemon is started again. */
  readonly policy: 'warn' | 'stop'
  /** Where the other daemons learn of it; null where one process serves the queue. */
  readonly texts: SharedTexts | null
  readonly gate: Pick<Gate, 'close' | 'closedFor'>
  readonly log: Log
  /** Called for each such score; for metrics. */
  readonly onFound: () => void
}

/** What was found since the start, for console and readiness. */
export interface DoppelgangerFindings {
  /** Of this daemon; at least 1 where another one of the queue found one. */
  readonly scores: number
  readonly lastAsset: string | null
}

/** The last score that made a daemon of the queue stop, as it is kept there. */
const stopText = z.object({ asset: z.string(), at: z.number() })
const STOP = 'doppelganger'
/** So long it is kept, ms: a daemon reads it within seconds. */
const STOP_KEPT_MS = 3_600_000
const LOOK_MS = 2000

/**
 * Scores of this attester that no daemon on this queue sent: somebody else uses its key or wallet. A queue that is new,
 * or may have lost records, knows nothing of what it sent before, and that may still come on record for a while. Only a
 * score that the service did not have after that time is surely another's.
 */
export class Doppelgangers {
  readonly #options: DoppelgangerOptions
  readonly #shared: SharedTexts | null
  /** Since when every attempt of this queue is known, monotonic ms. */
  #knownSince: number
  #findings: DoppelgangerFindings = { scores: 0, lastAsset: null }
  /** What the others are still to learn. */
  #unshared: string | null = null

  constructor(options: DoppelgangerOptions) {
    this.#options = options
    this.#shared = options.policy === 'stop' ? options.texts : null
    this.#knownSince = options.clock.monotonic()
  }

  get findings(): DoppelgangerFindings {
    return this.#findings
  }

  /** Whether a stop of this daemon concerns others, so that `follow` has something to do. */
  get isShared(): boolean {
    return this.#shared !== null
  }

  /** The queue may have lost records of attempts. */
  forget(): void {
    this.#knownSince = this.#options.clock.monotonic()
  }

  /**
   * Whether a score that this queue has no attempt of is surely another's.
   * @param unscoredAt service time (Unix ms) at which the service had none; null where that is not known
   */
  isForeign(unscoredAt: number | null): boolean {
    const { clock, serviceClock, settleMs } = this.#options
    const knownForMs = clock.monotonic() - this.#knownSince
    const settledInMs = settleMs + (serviceClock.state().errorBoundMs ?? 0)
    return unscoredAt !== null && unscoredAt >= serviceClock.now() - knownForMs + settledInMs
  }

  /** Raises the alarm. */
  found(asset: string): void {
    const { gate, log, onFound, policy, serviceClock } = this.#options
    this.#findings = { scores: this.#findings.scores + 1, lastAsset: asset }
    onFound()
    if (policy === 'stop') {
      gate.close('doppelganger')
      this.#unshared = JSON.stringify({ asset, at: serviceClock.now() } satisfies z.infer<typeof stopText>)
    }
    log.error({ reason: 'doppelganger', asset, policy }, 'our key was used elsewhere')
  }

  /**
   * Stops with the other daemons of the queue, and they with this one, until the signal aborts. What they found before this
   * one started is over: a restart opens the gate.
   */
  async follow(signal: AbortSignal): Promise<void> {
    let known: string | null | undefined
    while (this.#shared && !signal.aborted) {
      // While the queue is away nothing is submitted either.
      known = await this.#share(this.#shared, known).catch(() => known)
      await this.#options.clock.sleep(LOOK_MS, signal).catch(() => {})
    }
  }

  /** @param known the text of the last look; undefined before the first @returns that of this one */
  async #share(texts: SharedTexts, known: string | null | undefined): Promise<string | null> {
    if (this.#unshared !== null) await texts.set(STOP, this.#unshared, STOP_KEPT_MS)
    this.#unshared = null
    const text = await texts.get(STOP)
    if (text !== null && known !== undefined && text !== known) this.#stopFor(text)
    return text ?? known ?? null
  }

  #stopFor(text: string): void {
    const { gate, log } = this.#options
    const { asset = null } = readJson(stopText, text) ?? {}
    if (asset === null || gate.closedFor !== null) return
    gate.close('doppelganger')
    this.#findings = { scores: Math.max(1, this.#findings.scores), lastAsset: asset }
    log.error({ reason: 'doppelganger', asset }, 'submission was stopped by the alarm of another daemon')
  }
}
