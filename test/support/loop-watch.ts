import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'

/** How long turns of the event loop were, milliseconds. */
export interface LoopFigures {
  /** The delay that a timer had at worst; on a busy machine, other processes have their part in it. */
  readonly longestDelayMs: number
  /** The most processor time that passed between two looks at it, one a turn: no other process has a part in this. */
  readonly longestTurnCpuMs: number
  readonly cpuMs: number
  /** Turns of the event loop. */
  readonly turns: number
}

/** Watches the event loop of this thread until the work has ended. */
export async function watchLoop(work: () => Promise<void>): Promise<LoopFigures> {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  const begin = cpuNow()
  let last = begin
  let longestTurnCpuMs = 0
  let turns = 0
  const look = () => {
    const now = cpuNow()
    turns++
    longestTurnCpuMs = Math.max(longestTurnCpuMs, now - last)
    last = now
    if (!ended) next = setImmediate(look)
  }
  let ended = false
  let next = setImmediate(look)
  delay.enable()
  try {
    await work()
    // The last turn is only seen from the one after it.
    await sleep(2)
  } finally {
    ended = true
    clearImmediate(next)
    delay.disable()
  }
  return { longestDelayMs: delay.max / 1e6, longestTurnCpuMs, cpuMs: cpuNow() - begin, turns }
}

function cpuNow(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
