import type { Clock } from '../../core/clock.js'
import { isDiskFull } from '../../core/disk/storage-error.js'
import { AttestdError, succeeds } from '../../core/errors.js'
import type { Log } from '../../core/log.js'
import type { Reason } from '../../core/reasons.js'
import { SharedReading } from '../../core/shared-reading.js'
import { startTimer } from '../../core/time-limit.js'
import type { Processor } from '../../queue/queues.js'
import type { KindWorkers } from './kind-workers.js'

/** How the disk is tried, and the workers that rest. */
export interface DiskRestOptions {
  /** Writes about as much as a picture needs. @throws what the disk refuses */
  readonly tryWriting: () => Promise<void>
  /** Room on the disk of the data directory, bytes. */
  readonly free: () => Promise<number>
  readonly workers: () => Pick<KindWorkers, 'goOn' | 'rest'>
  readonly clock: Pick<Clock, 'sleep'>
  readonly log: Log
}

/** Why no analyses are taken. */
export interface DiskRefusal {
  readonly reason: Extract<Reason, 'data-dir-unusable' | 'disk-full'>
  /** One sentence. */
  readonly message: string
}

/** With less room no log segment of the embedded queue (16 MiB) and no media fits, bytes. */
export const FULL_BYTES = 32 * 1024 ** 2
/** After this time the disk is tried, ms. */
const REST_MS = 30_000
/** What speaks for the disk itself; every other failure of the media cache may have another cause. */
const DISK_CODES: ReadonlySet<unknown> = new Set(['EROFS', 'EIO', 'ENOSPC', 'EDQUOT'])
/** What speaks for a folder that has another owner or is none any more, or for a single file. */
const FOLDER_CODES: ReadonlySet<unknown> = new Set(['EACCES', 'EPERM', 'ENOTDIR'])

/**
 * Takes no analyses while the disk of the data directory refuses what is written: each would fail within milliseconds, so
 * this daemon would take most jobs of its fleet. Other daemons do the work meanwhile, and without any it waits in the queue.
 */
export class DiskRest {
  readonly #options: DiskRestOptions
  #refusal: DiskRefusal | null = null
  /** One look at the disk serves all jobs that fail at the same time. */
  readonly #looks = new SharedReading<void>()
  #endRest = () => {}

  constructor(options: DiskRestOptions) {
    this.#options = options
  }

  /** Null where analyses are taken. */
  get refusal(): DiskRefusal | null {
    return this.#refusal
  }

  /** The processor, whose failures are looked at before the queue may hand out the next job. */
  watched<Data, Result>(processor: Processor<Data, Result>): Processor<Data, Result> {
    return async (run) => {
      try {
        return await processor(run)
      } catch (error) {
        await this.#failed(error)
        throw error
      }
    }
  }

  stop(): void {
    this.#endRest()
  }

  async #failed(thrown: unknown): Promise<void> {
    if (!(thrown instanceof AttestdError) || thrown.reason !== 'media-cache-failed') return
    const { code } = thrown.facts
    if (this.#refusal || !(DISK_CODES.has(code) || FOLDER_CODES.has(code))) return
    await this.#looks.share(() => this.#look(thrown))
  }

  async #look(error: AttestdError): Promise<void> {
    const isFull = isDiskFull(error)
    // A file that is larger than the room has left it free again: the next one may fit.
    if (isFull && (await this.#hasRoom())) return
    if (FOLDER_CODES.has(error.facts.code) && (await this.#accepts())) return
    const { log, workers } = this.#options
    const message = `The disk of the data directory refused a write (${error.facts.code}). No analyses are taken until it accepts one; it is tried every ${REST_MS / 1000} s.`
    this.#refusal = { reason: isFull ? 'disk-full' : 'data-dir-unusable', message }
    workers().rest()
    log.debug({ reason: this.#refusal.reason }, 'analysis was paused')
    this.#tryLater()
  }

  #tryLater(): void {
    this.#endRest = startTimer(this.#options.clock, REST_MS, () => void this.#tryAgain())
  }

  async #tryAgain(): Promise<void> {
    const { log, workers } = this.#options
    if (await this.#accepts()) {
      this.#refusal = null
      log.debug({}, 'analysis was resumed')
      await workers()
        .goOn()
        .catch((error: unknown) =>
          log.error({ err: error }, 'workers were not updated after the disk accepted a write'),
        )
    } else this.#tryLater()
  }

  async #hasRoom(): Promise<boolean> {
    return (await this.#accepts()) && (await this.#options.free().catch(() => 0)) >= FULL_BYTES
  }

  #accepts(): Promise<boolean> {
    return succeeds(this.#options.tryWriting())
  }
}
