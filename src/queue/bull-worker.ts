import { type IQueueBackend, type Job, Worker } from 'bullmq'
import type { AnyConnection } from './backing.js'

/** Pause after the engine refused to hand out a job, milliseconds; BullMQ alone would ask again at once, for ever. */
const REFUSED_PAUSE_MS = 1000

/** BullMQ's worker with a calm loop under errors, a strict pause, and a way to be left behind when its jobs do not end. */
export class BullWorker extends Worker<unknown, unknown, string, IQueueBackend, never, AnyConnection> {
  /** A loop that breaks is an error event: `resume` starts the loop too, and nobody waits for that promise. */
  override async run(): Promise<void> {
    try {
      await super.run()
    } catch (error) {
      this.emit('error', error as Error)
    }
  }

  override async resume(): Promise<void> {
    await super.resume()
    // Resumed at the moment when the paused loop ended: BullMQ took it for still running.
    if (!this.running && !this.paused && !this.closing) void this.run()
  }

  /** BullMQ alone would take the job that wakes a worker which was paused while it waited for one. */
  protected override async moveToActive(token: string, name?: string): Promise<Job<unknown, unknown, string, never>> {
    while (this.paused && !this.closing) await this.#change()
    // BullMQ's own way of saying that there is no job; its type does not show it.
    if (this.closing) return undefined as never
    try {
      return await super.moveToActive(token, name)
    } catch (error) {
      if (!this.closing) await this.delay(REFUSED_PAUSE_MS)
      throw error
    }
  }

  /** Ends lock renewal and connections without waiting for jobs: they stall, and another worker takes them over. */
  async abandon(): Promise<void> {
    await this.lockManager.close()
    await this.backend.close(true)
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        this.off('resumed', done).off('closing', done)
        resolve()
      }
      this.on('resumed', done).on('closing', done)
    })
  }
}
