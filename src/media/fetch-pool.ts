import type { Clock } from '../core/clock.js'
import { AttestdError } from '../core/errors.js'
import { type Follower, followerOf } from '../core/time-limit.js'

/** Limits of all fetches of this process together. */
export interface FetchPoolOptions {
  /** Connections to gateways and hosts; no hedge starts beyond it. Retries take half of it, one host of `https:` media a quarter. */
  readonly connections: number
  /** Bytes received by unfinished fetches, above which the larger ones pause. */
  readonly bytes: number
  readonly clock: Clock
  readonly onChange?: (use: FetchPoolUse) => void
}

/** What the pool holds: fetches that were never too slow, those that were, and connections of both. */
export interface FetchPoolUse {
  readonly first: number
  readonly later: number
  readonly connections: number
}

/** Who asks for a fetch. */
export interface FetchAsk {
  /** Host of `https:` media; null for media that the gateways of the operator deliver. */
  readonly host: string | null
  /** How often this media was too slow; undefined where a caller takes any rate. */
  readonly slowBefore: number | undefined
}

/** One fetch in the pool. */
export interface Transfer {
  /** Aborts with the reason of the caller, or with `media-too-slow`. */
  readonly signal: AbortSignal
  /** To be awaited for every chunk received: pauses while the pool holds too many bytes. */
  arrived(bytes: number): Promise<void>
  /** Counts one connection. @returns ends it; call once */
  connect(): () => void
}

/** Free time of the first fetch, ms; four times as long after each one that was too slow: 8 s, 32 s, 128 s. */
const FREE_MS = 8_000
const FREE_GROWTH = 4
/** Least rate when the free time is used up, bytes per second. */
const BASE_RATE = 32_000
/** From then on the rate is checked this often, ms. */
const CHECK_MS = 1_000
/** A host's fetches count against its share once they are this old, ms, so a fast host is never limited. */
const SETTLED_MS = 1_000
/** A fetch up to this size never pauses for the byte limit. */
const SMALL_BYTES = 1024 * 1024

interface Running extends FetchAsk {
  readonly startedAt: number
  bytes: number
  pausedMs: number
}

/** Time that a fetch may take whatever its rate, ms. @param slowBefore how often the same media was too slow */
export const freeMs = (slowBefore: number): number => FREE_MS * FREE_GROWTH ** Math.min(slowBefore, 8)

/**
 * Bytes that must be here after `usedMs`: the least mean rate grows in proportion to the time used, 32 kB/s after 8 s and
 * 480 kB/s after 120 s in a first attempt. So a line of R bytes per second fetches files of up to R²/4000 bytes at once (2.5 MB
 * at 100 kB/s, 250 MB at 1 MB/s) and, after 32 s free, up to R²/1000. A third attempt has 128 s, more than the default
 * limit of one fetch: whatever arrives within that limit arrives at last.
 */
export const leastBytes = (usedMs: number, free: number): number => ((BASE_RATE / 1000) * usedMs * usedMs) / free

/**
 * The limits that keep slow media from taking all connections. Fetches never wait here: the worker takes no more jobs than
 * it has room for (`JobRun.stepAside`), and what exceeds a share goes back to its queue.
 */
export class FetchPool {
  readonly #options: FetchPoolOptions
  readonly #running = new Set<Running>()
  #connections = 0
  #bytes = 0
  #onFreed: (() => void)[] = []

  constructor(options: FetchPoolOptions) {
    this.#options = options
  }

  /** Whether one more gateway may be asked in addition. */
  get mayHedge(): boolean {
    return this.#connections < this.#options.connections
  }

  /** @throws AttestdError media-busy at once, media-too-slow, the signal's reason, and what `work` throws */
  async run<T>(ask: FetchAsk, signal: AbortSignal, work: (transfer: Transfer) => Promise<T>): Promise<T> {
    this.#refuseBeyondShare(ask)
    const running: Running = { ...ask, startedAt: this.#options.clock.monotonic(), bytes: 0, pausedMs: 0 }
    const stop = followerOf(signal)
    const ended = new AbortController()
    this.#running.add(running)
    this.#changed()
    void this.#watchRate(running, stop, ended.signal)
    try {
      return await work({
        signal: stop.signal,
        arrived: (bytes) => this.#arrived(running, bytes, stop.signal),
        connect: () => this.#connect(),
      })
    } finally {
      ended.abort(null)
      stop.leave()
      this.#running.delete(running)
      this.#bytes -= running.bytes
      this.#changed()
      for (const wake of this.#onFreed.splice(0)) wake()
    }
  }

  #refuseBeyondShare({ host, slowBefore }: FetchAsk): void {
    const { connections, clock } = this.#options
    const all = [...this.#running]
    const later = all.filter(isLater).length
    if (slowBefore && later >= Math.ceil(connections / 2)) {
      throw busy(`${later} fetches of media that was too slow before are running`)
    }
    const settled = (one: Running) => clock.monotonic() - one.startedAt >= SETTLED_MS
    const ofHost = host === null ? 0 : all.filter((one) => one.host === host && settled(one)).length
    if (ofHost >= Math.ceil(connections / 4)) throw busy(`${ofHost} fetches from ${host} are running`)
  }

  async #watchRate(running: Running, slow: Follower, ended: AbortSignal): Promise<void> {
    const { slowBefore, startedAt } = running
    if (slowBefore === undefined) return
    const { clock } = this.#options
    const free = freeMs(slowBefore)
    for (let wait = free; ; wait = CHECK_MS) {
      await clock.sleep(wait, ended).catch(() => {})
      if (ended.aborted) return
      const usedMs = clock.monotonic() - startedAt - running.pausedMs
      if (usedMs < free || running.bytes >= leastBytes(usedMs, free)) continue
      return slow.abort(tooSlow(running.bytes, usedMs))
    }
  }

  async #arrived(running: Running, bytes: number, signal: AbortSignal): Promise<void> {
    const { clock, bytes: limit } = this.#options
    running.bytes += bytes
    this.#bytes += bytes
    const since = clock.monotonic()
    // The largest goes on, so that at least one ends and frees what it holds.
    while (this.#bytes > limit && running.bytes > SMALL_BYTES && !this.#isLargest(running)) {
      signal.throwIfAborted()
      await this.#freed(signal)
    }
    running.pausedMs += clock.monotonic() - since
  }

  #isLargest({ bytes }: Running): boolean {
    return [...this.#running].every((other) => other.bytes <= bytes)
  }

  #freed(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      this.#onFreed.push(resolve)
      signal.addEventListener('abort', () => resolve(), { once: true })
    })
  }

  #connect(): () => void {
    this.#connections += 1
    this.#changed()
    return () => {
      this.#connections -= 1
      this.#changed()
    }
  }

  #changed(): void {
    const later = [...this.#running].filter(isLater).length
    this.#options.onChange?.({ first: this.#running.size - later, later, connections: this.#connections })
  }
}

const isLater = ({ slowBefore }: FetchAsk): boolean => slowBefore !== undefined && slowBefore > 0

const busy = (what: string): AttestdError =>
  new AttestdError('media-busy', `The fetch waits for a free connection: ${what}.`)

function tooSlow(bytes: number, ms: number): AttestdError {
  const seconds = Math.round(ms / 1000)
  return new AttestdError('media-too-slow', `The media was too slow: ${bytes} bytes in ${seconds} s.`, {
    facts: { bytes, seconds },
  })
}
