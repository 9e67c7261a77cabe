import type { Clock } from '../core/clock.js'
import type { Log } from '../core/log.js'
import { STEP_MS } from './clock-estimate.js'

/** @default how far two statements of the time may be apart and still agree, milliseconds; a block may be this old */
export const AGREE_MS = 2 * 60_000

/** A time and whose it is, as a message ends: `by the Date header of the service`. */
export interface StatedTime {
  /** Unix milliseconds. */
  readonly ms: number
  readonly by: string
}

interface Statement {
  /** Stated time less the monotonic clock, milliseconds. */
  readonly ahead: number
  /** Local wall clock less the monotonic clock when it was made; a change is a clock step or a suspend. */
  readonly wallMinusMonotonic: number
}

const DATE = 'the Date header of the service'
const CHAIN = 'the latest block of the service'
const LOCAL = 'the local clock'

/** `clock` is judged by the others and decides only between them. */
export interface TimeWitnessesOptions {
  readonly clock: Clock
  readonly log: Log
  /** @default AGREE_MS */
  readonly agreeMs?: number | undefined
}

/**
 * What a wallet-session service, its `Date` and the RPC endpoints state the time is. The service's word is what others are
 * judged by, the local clock only where the service has stated nothing; and where the others contradict each other,
 * `disagreement` states who, and nothing should be dated. A statement from before a suspend or clock step no longer counts.
 */
export class TimeWitnesses {
  readonly #options: TimeWitnessesOptions
  readonly #agreeMs: number
  readonly #ofService = new Map<typeof DATE | typeof CHAIN, Statement>()
  readonly #ofEndpoints = new Map<string, Statement>()
  #reported: string | null = null

  constructor(options: TimeWitnessesOptions) {
    this.#options = options
    this.#agreeMs = options.agreeMs ?? AGREE_MS
  }

  /** An answer of the service had this `Date`, Unix milliseconds. */
  sawDate(ms: number): void {
    this.#ofService.set(DATE, this.#statement(ms))
    this.#report()
  }

  /** The service's chain-time route returned a block of this time, Unix milliseconds. */
  sawChainTime(ms: number): void {
    this.#ofService.set(CHAIN, this.#statement(ms))
    this.#report()
  }

  /** The latest block at an RPC endpoint is of this time, Unix milliseconds. */
  sawBlock(endpoint: string, ms: number): void {
    this.#ofEndpoints.set(endpoint, this.#statement(ms))
    this.#report()
  }

  /** By what the blocks of RPC endpoints are judged: the service's time, the local clock where it has stated none. */
  forBlocks(): StatedTime {
    return this.#service() ?? this.#local()
  }

  /**
   * By what a challenge is judged: the service's time; where it has stated none, the local clock, unless all RPC endpoints
   * contradict it: then the youngest of their blocks.
   */
  now(): StatedTime {
    const service = this.#service()
    if (service) return service
    const local = this.#local()
    const blocks = this.#endpoints()
    if (blocks.length === 0 || blocks.some((block) => this.#agree(block, local))) return local
    return blocks.reduce((best, block) => (block.ms > best.ms ? block : best))
  }

  /**
   * Who contradicts whom, where it is not the local clock alone: the service itself, or the service and every RPC
   * endpoint while the local clock does not side with the service. Null where nothing speaks against service time.
   */
  disagreement(): string | null {
    const [date, chain] = [this.#of(DATE), this.#of(CHAIN)]
    if (date && chain && !this.#agree(date, chain)) return apartText(chain, date)
    const service = this.#service()
    const blocks = this.#endpoints()
    if (!service || blocks.length === 0 || blocks.some((block) => this.#agree(block, service))) return null
    if (this.#agree(this.#local(), service)) return null
    return apartText(blocks[0]!, service)
  }

  #statement(ms: number): Statement {
    const monotonic = this.#options.clock.monotonic()
    return { ahead: ms - monotonic, wallMinusMonotonic: this.#options.clock.now() - monotonic }
  }

  #service(): StatedTime | null {
    return this.#of(DATE) ?? this.#of(CHAIN)
  }

  #local(): StatedTime {
    return { ms: this.#options.clock.now(), by: LOCAL }
  }

  #of(source: typeof DATE | typeof CHAIN): StatedTime | null {
    return this.#now(this.#ofService.get(source), source)
  }

  #endpoints(): StatedTime[] {
    const all = [...this.#ofEndpoints].map(([name, statement]) => this.#now(statement, `the latest block of ${name}`))
    return all.filter((each) => each !== null)
  }

  /** What a statement comes to now; null where it was made before a step. */
  #now(statement: Statement | undefined, by: string): StatedTime | null {
    if (!statement) return null
    const monotonic = this.#options.clock.monotonic()
    const stepMs = Math.abs(this.#options.clock.now() - monotonic - statement.wallMinusMonotonic)
    return stepMs > STEP_MS ? null : { ms: statement.ahead + monotonic, by }
  }

  #agree(one: StatedTime, other: StatedTime): boolean {
    return Math.abs(one.ms - other.ms) <= this.#agreeMs
  }

  /** Once when it begins, and once when it has ended. */
  #report(): void {
    const { log } = this.#options
    const found = this.disagreement()
    if (found && !this.#reported) {
      log.warn({ reason: 'clock-untrusted', detail: found }, 'sources of the time disagreed; submission was paused')
    }
    if (!found && this.#reported) log.info({}, 'sources of the time agreed again')
    this.#reported = found
  }
}

function apartText(one: StatedTime, other: StatedTime): string {
  const seconds = Math.round(Math.abs(one.ms - other.ms) / 1000)
  return `${one.by} is ${seconds} s ${one.ms < other.ms ? 'behind' : 'ahead of'} ${other.by}`
}
