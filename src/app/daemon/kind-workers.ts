import type { Clock } from '../../core/clock.js'
import { MEDIA_TYPES } from '../../core/media-types.js'
import { withinLimit } from '../../core/time-limit.js'
import type { DetectorHost } from '../../detect/detection.js'
import { type AnalyzeQueue, analyzeQueue, type RunningWorker } from '../../queue/queues.js'

/** The queues of the kinds that there are detectors for, and that of unknown kinds where there is any. */
export function servedQueues(detectors: Pick<DetectorHost, 'detectorFor'>): AnalyzeQueue[] {
  const kinds = MEDIA_TYPES.filter((kind) => detectors.detectorFor(kind) !== null)
  return kinds.length > 0 ? [...kinds, null].map(analyzeQueue) : []
}

/** The analyze workers of a process: one for each kind of media that it has a detector for. */
export class KindWorkers {
  readonly #detectors: Pick<DetectorHost, 'detectorFor'>
  readonly #start: (name: AnalyzeQueue) => Promise<RunningWorker>
  readonly #clock: Pick<Clock, 'sleep'>
  readonly #workers = new Map<AnalyzeQueue, RunningWorker>()
  /** One change after the other. */
  #following: Promise<void> = Promise.resolve()
  #stopped = false
  #resting = false

  constructor(
    detectors: Pick<DetectorHost, 'detectorFor'>,
    start: (name: AnalyzeQueue) => Promise<RunningWorker>,
    clock: Pick<Clock, 'sleep'>,
  ) {
    this.#detectors = detectors
    this.#start = start
    this.#clock = clock
  }

  /** Takes jobs of the kinds that there are detectors for by now, and none of others; jobs under way go on. */
  follow(): Promise<void> {
    this.#following = this.#following.catch(() => {}).then(() => this.#change())
    return this.#following
  }

  /** Takes no jobs until `goOn`, whatever detectors there are; jobs under way go on. */
  rest(): void {
    this.#resting = true
    for (const worker of this.#workers.values()) worker.pause()
  }

  /** See `follow`. */
  goOn(): Promise<void> {
    this.#resting = false
    return this.follow()
  }

  async stop(capMs: number): Promise<{ drained: boolean }> {
    this.#stopped = true
    // While the queue engine is away, a new worker waits for it.
    await withinLimit(
      this.#clock,
      capMs,
      this.#following.catch(() => {}),
      () => undefined,
    )
    const ends = await Promise.all([...this.#workers.values()].map((worker) => worker.stop(capMs)))
    return { drained: ends.every(({ drained }) => drained) }
  }

  async #change(): Promise<void> {
    if (this.#stopped) return
    const served = this.#resting ? [] : servedQueues(this.#detectors)
    for (const [name, worker] of this.#workers) {
      if (served.includes(name)) worker.resume()
      else worker.pause()
    }
    const starting = served.filter((name) => !this.#workers.has(name))
    await Promise.all(starting.map((name) => this.#add(name)))
  }

  async #add(name: AnalyzeQueue): Promise<void> {
    const worker = await this.#start(name)
    this.#workers.set(name, worker)
    if (this.#resting) worker.pause()
  }
}
