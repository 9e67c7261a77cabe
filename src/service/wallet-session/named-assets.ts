import { asRecord } from '../record.js'
import { assetIdSchema } from '../wire-fields.js'
import type { WalletSessionClient } from './client.js'
import { assetIdIn, assetRecordIn, outOfEnvelope } from './reading.js'

/** Up to this many assets that an event only names are asked for one by one; more come from the list, in one answer. */
const ASK_EACH_MAX = 8
const ID_LIST_FIELDS = ['ids', 'assetIds'] as const

/** A list of ids under one of its names; null where there is none. */
export function idListIn(data: unknown): unknown[] | null {
  const record = asRecord(outOfEnvelope(data))
  const list = ID_LIST_FIELDS.map((field) => record?.[field]).find((found) => Array.isArray(found))
  return Array.isArray(list) ? list : null
}

/**
 * The values of an event, with what the service has of each asset in the place of those that carry its id alone; without
 * those that it no longer has.
 * @throws as the client does
 */
export async function completeAssets(
  values: readonly unknown[],
  client: Pick<WalletSessionClient, 'find' | 'listOpen'>,
  signal: AbortSignal,
): Promise<readonly unknown[]> {
  const ids = values.map(idAlone)
  const missing = ids.filter((id) => id !== null)
  if (missing.length === 0) return values
  const found = await askedFor(missing, client, signal)
  const completed = values.map((value, nth) => (ids[nth] === null ? value : found.get(ids[nth]!)))
  return completed.filter((value) => value !== undefined)
}

/** The id of a value that says nothing else that is needed of an asset; null for any other. */
function idAlone(value: unknown): string | null {
  const id = typeof value === 'string' || Number.isSafeInteger(value) ? String(value) : idOfRecord(value)
  return assetIdSchema.safeParse(id).data ?? null
}

function idOfRecord(value: unknown): string | undefined {
  const record = assetRecordIn(value)
  return record.uri === undefined && record.contentHash === undefined ? assetIdIn(record) : undefined
}

async function askedFor(
  ids: readonly string[],
  client: Pick<WalletSessionClient, 'find' | 'listOpen'>,
  signal: AbortSignal,
): Promise<Map<string | undefined, unknown>> {
  const isMany = ids.length > ASK_EACH_MAX
  const answers = isMany ? await client.listOpen(signal) : await Promise.all(ids.map((id) => client.find(id, signal)))
  // An asset that is unknown by now is null.
  return new Map(
    answers.filter((answer) => answer !== null).map((answer) => [assetIdIn(assetRecordIn(answer)), answer]),
  )
}
