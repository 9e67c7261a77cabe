import { z } from 'zod'
import { callDaemon } from '../observe/control-client.js'
import { type ControlFile, readControlFile } from '../observe/control-file.js'

/**
 * The daemon that runs on this data directory. It must answer: the file may be left of one that was killed, and its
 * port and pid may belong to others by now.
 * @returns null where none runs
 */
export async function runningDaemon(dataDir: string): Promise<ControlFile | null> {
  const control = await readControlFile(dataDir)
  if (!control) return null
  const answer = z.object({ jobs: z.array(z.unknown()) })
  try {
    await callDaemon(control, { method: 'GET', path: '/control/failed?limit=1', answer })
    return control
  } catch {
    return null
  }
}
