import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Clock } from '../../core/clock.js'
import { entryFile } from '../../core/files.js'
import { withinLimit } from '../../core/time-limit.js'
import { type Evidence, evidenceSchema } from '../contract/measurement.js'

/** Longest time for the evidence of one file, ms; that of an ordinary one takes 2 to 20. */
const LIMIT_MS = 5_000
/** Memory of the thread; what it needs for the largest credentials of an ordinary camera is a tenth of it. */
const MEMORY = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 }

/**
 * Reads evidence in its own thread, which can be ended while it computes: parsers of hostile metadata may take any
 * time and any memory. One file at a time. For use in a detector process.
 */
export class EvidenceReader {
  readonly #clock: Pick<Clock, 'sleep'>
  #thread: Worker | null = null

  constructor(clock: Pick<Clock, 'sleep'>) {
    this.#clock = clock
  }

  /** What the file states about itself; null where the thread took too long or too much memory, and was ended. Never throws. */
  async read(file: string): Promise<readonly Evidence[] | null> {
    const thread = this.#thread ?? this.#start()
    const evidence = await withinLimit(this.#clock, LIMIT_MS, answerOf(thread, file), () => null)
    if (evidence === null) await this.close()
    return evidence
  }

  /** Ends the thread; the next file starts another. */
  async close(): Promise<void> {
    const thread = this.#thread
    this.#thread = null
    await thread?.terminate()
  }

  #start(): Worker {
    const thread = new Worker(entryFile(import.meta.url, 'evidence-thread'), { resourceLimits: MEMORY })
    // Where nobody waits for an answer, its end states nothing: the next file starts another.
    thread.on('error', () => {})
    thread.once('exit', () => {
      if (this.#thread === thread) this.#thread = null
    })
    thread.unref()
    this.#thread = thread
    return thread
  }
}

/** Null where the thread ends, or answers anything but evidence. */
async function answerOf(thread: Worker, file: string): Promise<readonly Evidence[] | null> {
  const over = new AbortController()
  const options = { signal: over.signal }
  // An unreferenced thread would not keep the process waiting for its answer.
  thread.ref()
  try {
    const answer = once(thread, 'message', options)
    const end = once(thread, 'exit', options).then(() => [null])
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    thread.postMessage({ file })
    const [raw] = await Promise.race([answer, end])
    return evidenceSchema.parse(raw)
  } catch {
    return null
  } finally {
    over.abort()
    thread.unref()
  }
}
