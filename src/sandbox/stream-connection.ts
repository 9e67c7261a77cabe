import type { EventWriter } from './event-writer.js'
import type { World } from './world.js'

/** The connection under a feed. */
export interface StreamConnection {
  readonly writer: EventWriter
  readonly end: () => void
  readonly destroy: () => void
  /** Aborts when the connection is gone. */
  readonly signal: AbortSignal
}

/** Waits. @returns false where the connection or the sandbox ended first */
export async function after(world: World, ms: number, signal: AbortSignal): Promise<boolean> {
  try {
    await world.clock.sleep(ms, AbortSignal.any([signal, world.stopping]))
    return true
  } catch {
    return false
  }
}
