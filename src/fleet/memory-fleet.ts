import type { Clock } from '../core/clock.js'
import { type FleetStore, MAX_RECORDS } from './fleet-store.js'

/** The fleet of an embedded queue: its one daemon. */
export function memoryFleet(clock: Pick<Clock, 'monotonic'>): FleetStore {
  const announced = new Map<string, { text: string; at: number }>()
  const records: string[] = []
  let order: string | null = null
  return {
    announce: async (id, text) => void announced.set(id, { text, at: clock.monotonic() }),
    leave: async (id) => void announced.delete(id),
    announced: async () => [...announced].map(([id, { text, at }]) => ({ id, text, agoMs: clock.monotonic() - at })),
    append: async (texts) => {
      records.unshift(...texts.toReversed())
      records.length = Math.min(records.length, MAX_RECORDS)
    },
    recent: async (limit) => records.slice(0, limit),
    order: async () => order,
    setOrder: async (text) => {
      order = text
    },
  }
}
