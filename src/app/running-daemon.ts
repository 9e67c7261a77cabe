import { systemClock } from '../core/clock.js'
import { startDeadline } from '../core/time-limit.js'
import { type ControlFile, readControlFile } from '../observe/control-file.js'

/** A daemon answers from memory; one that takes longer, ms, is stuck. */
const ANSWER_MS = 5000

/**
 * The daemon that runs on this data directory. It must answer to its token: the file may be left of one that was
 * killed, and its port and pid may belong to others by now.
 * @returns null where none runs
 */
export async function runningDaemon(dataDir: string): Promise<ControlFile | null> {
  const control = await readControlFile(dataDir)
  if (!control) return null
  const deadline = startDeadline(systemClock, ANSWER_MS)
  try {
    const { status } = await fetch(new URL('/control/failed?limit=1', control.url), {
      headers: { authorization: `Bearer ${control.token}` },
      redirect: 'error',
      signal: deadline.signal,
    })
    // A daemon whose queue is away reports it by its own error, and runs all the same.
    return status === 401 || status === 404 ? null : control
  } catch (error) {
    return error instanceof Error && error.name === 'TimeoutError' ? control : null
  } finally {
    deadline.clear()
  }
}
