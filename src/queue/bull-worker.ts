import { type IQueueBackend, type Job, Worker } from 'bullmq'
import type { AnyConnection } from './backing.js'

/** Pause after the engine refused to hand out a job, milliseconds; BullMQ alone would ask again at once, for ever. */
const REFUSED_PAUSE_MS = 1000

/** BullMQ's worker with a calm loop under errors and a way to be left behind when its jobs do not end. */
export class BullWorker extends Worker<unknown, unknown, string, IQueueBackend, never, AnyConnection> {
  protected override async moveToActive(token: string, name?: string): Promise<Job<unknown, unknown, string, never>> {
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
}
