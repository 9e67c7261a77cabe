import { z } from 'zod'
import { storedRisk } from '../../core/risk.js'
import { OUTCOMES, type RecentRow } from '../../observe/console/console-state.js'
import { type FleetStore, MAX_RECORDS } from '../../queue/fleet/fleet-store.js'

/** Characters of a message that are kept. */
const MAX_MESSAGE = 300
const text = (max: number) => z.string().max(max)

/** As a row lies in the store, its risk as a percentage; another release may have written it. */
const storedRow = z.object({
  at: z.number(),
  assetId: text(500),
  title: text(500),
  mediaType: text(50),
  outcome: z.enum(OUTCOMES),
  risk: storedRisk.nullable(),
  algorithm: text(500).nullable(),
  scoreId: text(500).nullable(),
  openToRecordMs: z.number().nullable(),
  reason: text(100).nullable(),
  message: text(MAX_MESSAGE).nullish(),
  queue: z.enum(['analyze', 'submit']).optional(),
  daemon: text(300).optional(),
})

/** Leaves a row for every daemon on the queue. */
export async function keepRow(store: FleetStore, row: RecentRow): Promise<void> {
  const message = row.message?.slice(0, MAX_MESSAGE)
  await store.append(JSON.stringify(z.encode(storedRow, { ...row, message })))
}

/** All rows that are kept of the whole fleet, newest first. What cannot be read is passed over. */
export async function keptRecords(store: FleetStore): Promise<RecentRow[]> {
  return (await store.recent(MAX_RECORDS)).flatMap(readRow)
}

/** The last rows of the whole fleet, newest first. What cannot be read is passed over. */
export async function keptRows(store: FleetStore, limit: number): Promise<RecentRow[]> {
  // An asset has a row for its verdict and one for its end.
  const texts = await store.recent(2 * limit)
  return withoutSettled(texts.flatMap(readRow)).slice(0, limit)
}

/** A verdict is shown until the outcome of its asset is known. */
export function withoutSettled(rows: readonly RecentRow[]): RecentRow[] {
  const ended = new Set(rows.filter(({ outcome }) => outcome !== 'verdict').map(({ assetId }) => assetId))
  return rows.filter(({ assetId, outcome }) => outcome !== 'verdict' || !ended.has(assetId))
}

function readRow(json: string): RecentRow[] {
  try {
    return [storedRow.parse(JSON.parse(json))]
  } catch {
    return []
  }
}
