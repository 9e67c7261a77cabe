import type { Stage } from './measurement.js'

/** Adds up the processor time of this process by stage; a process works on one file at a time, so all of it is that file's. */
export class StageWatch {
  readonly ms: Partial<Record<Stage, number>> = {}

  async during<T>(stage: Stage, work: () => T | Promise<T>): Promise<T> {
    const before = process.cpuUsage()
    try {
      return await work()
    } finally {
      const { user, system } = process.cpuUsage(before)
      this.ms[stage] = (this.ms[stage] ?? 0) + (user + system) / 1000
    }
  }
}
