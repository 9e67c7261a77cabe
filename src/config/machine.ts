import os from 'node:os'

/** What a machine, or the container on it, gives a daemon. */
export interface Machine {
  readonly cores: number
  readonly memoryBytes: number
}

/** Memory of a detector process with the packages that come with attestd, bytes; `npm run bench` prints it. */
const PROCESS_BYTES = 320 * 1024 ** 2

/** Within the limits of the control group, where there are any. */
export function thisMachine(): Machine {
  const limit = process.constrainedMemory()
  return { cores: os.availableParallelism(), memoryBytes: Math.min(os.totalmem(), limit || Infinity) }
}

/**
 * How many detector processes a machine carries: one for each core but the daemon's, of which half is left on two cores,
 * so that both get one there; and no more than half of the memory holds.
 */
export function detectorWorkersFor({ cores, memoryBytes }: Machine): number {
  const byCores = Math.max(Math.min(2, cores), cores - 1)
  return Math.max(1, Math.min(byCores, Math.floor(memoryBytes / 2 / PROCESS_BYTES)))
}
