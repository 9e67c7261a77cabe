import { z } from 'zod'
import { storedRisk } from '../core/risk.js'
import { readJson } from '../core/text.js'
import { type FleetStore, MAX_RECORDS } from './fleet-store.js'

/** What can become of an asset. */
export const OUTCOMES = ['verdict', 'accepted', 'confirmed', 'foreign', 'abstained', 'closed', 'failed'] as const
/** Characters of a message, and of another text of a service or package, that are kept. */
const MAX_MESSAGE = 300
const MAX_TEXT = 500
const text = (max: number) => z.string().max(max)

/** As a row lies in the store, its risk as a percentage; another release may have written it. */
export const storedRow = z.object({
  /** Local Unix ms. */
  at: z.number(),
  /** Never cut: the job is found by it. As long as `service/` takes one. */
  assetId: text(512),
  title: text(MAX_TEXT),
  mediaType: text(50),
  outcome: z.enum(OUTCOMES),
  /** Null where there is no verdict. */
  risk: storedRisk.nullable(),
  /** Detector id and version; null where none ran. */
  algorithm: text(MAX_TEXT).nullable(),
  /** Id of the score record; null where there is none. */
  scoreId: text(MAX_TEXT).nullable(),
  /** Time from first sight to the score on record, milliseconds; null where there is none. */
  openToRecordMs: z.number().nullable(),
  /** Reason code where the asset got no score. */
  reason: text(100).nullable(),
  /** What happened, where the asset got no score. */
  message: text(MAX_MESSAGE).nullish(),
  /** Whose job it was; absent where the outcome states it. */
  queue: z.enum(['analyze', 'submit']).optional(),
  /** Name of the daemon that did it, where it is known. */
  daemon: text(300).optional(),
})
/** What became of one asset, as a row of the console. */
export type RecentRow = z.infer<typeof storedRow>

/** A row as it is stored, its long texts cut: one row that does not fit would keep all others from being stored, too. */
export function storeRow({ algorithm, message, scoreId, title, ...row }: RecentRow): z.input<typeof storedRow> {
  return z.encode(storedRow, {
    ...row,
    title: title.slice(0, MAX_TEXT),
    algorithm: algorithm?.slice(0, MAX_TEXT) ?? null,
    scoreId: scoreId?.slice(0, MAX_TEXT) ?? null,
    message: message?.slice(0, MAX_MESSAGE),
  })
}

/** Leaves rows for every daemon on the queue, the last of them the newest. */
export async function keepRows(store: FleetStore, rows: readonly RecentRow[]): Promise<void> {
  await store.append(rows.map((row) => JSON.stringify(storeRow(row))))
}

/** All rows that are kept of the whole fleet, newest first. What cannot be read is passed over. */
export const keptRecords = async (store: FleetStore, limit = MAX_RECORDS): Promise<RecentRow[]> =>
  (await store.recent(limit)).flatMap((text) => readJson(storedRow, text) ?? [])

/** The last rows of the whole fleet, newest first. A verdict is shown until the outcome of its asset is known. */
export async function keptRows(store: FleetStore, limit: number): Promise<RecentRow[]> {
  // An asset has a row for its verdict and one for its end.
  const rows = await keptRecords(store, 2 * limit)
  const ended = new Set(rows.filter(({ outcome }) => outcome !== 'verdict').map(({ assetId }) => assetId))
  return rows.filter(({ assetId, outcome }) => outcome !== 'verdict' || !ended.has(assetId)).slice(0, limit)
}
