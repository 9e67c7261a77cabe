import { z } from 'zod'
import { AttestdError } from '../../core/errors.js'
import type { ServiceEvent } from '../port.js'
import { assetIdIn, assetRecordIn, eventData, type OnMalformed, unknownEvent } from '../record.js'
import { shapeText } from '../shape-text.js'
import type { RawEvent } from '../stream-source.js'
import { assetIdSchema } from '../wire-fields.js'
import type { WalletSessionClient } from './client.js'
import { listIn, readAssets } from './reading.js'

/** Up to this many assets that an event only names are asked for one by one; more come from the list, in one answer. */
const ASK_EACH_MAX = 8
const ID_LIST_FIELDS = ['ids', 'assetIds'] as const

export interface DecodeOptions {
  /** Asked for the assets of which the event has the ids alone. */
  readonly client: Pick<WalletSessionClient, 'find' | 'listOpen'>
  readonly signal: AbortSignal
  readonly onMalformed?: OnMalformed | undefined
}

/**
 * The port's events from one event of the stream (specification, Events; the payloads are not shown). The snapshot is
 * the first word of every connection.
 * @throws AttestdError event-malformed for an unknown name, data that is not JSON, or a snapshot
 * without a list, or as the client does; a malformed asset inside is skipped and reported
 */
export async function decodeEvent(event: RawEvent, options: DecodeOptions): Promise<readonly ServiceEvent[]> {
  switch (event.name) {
    case 'snapshot':
      return [
        { kind: 'ready', stake: null },
        { kind: 'snapshot', ...(await assetsOf(snapshotIn(event), options)) },
      ]
    case 'new-asset':
      return [{ kind: 'delta', ...(await assetsOf(newAssetsIn(event), options)) }]
    default:
      throw unknownEvent(event)
  }
}

function snapshotIn(event: RawEvent): unknown[] {
  const data = eventData(event, z.unknown())
  const assets = listIn(data) ?? listIn(data, ID_LIST_FIELDS)
  if (assets) return assets
  const what = `it holds no list; it is ${shapeText(data)}`
  throw new AttestdError('event-malformed', `An event ${event.name} has a wrong shape: ${what}`)
}

/** One asset, as itself or wrapped, or several; or the ids of them. */
function newAssetsIn(event: RawEvent): unknown[] {
  const data = eventData(event, z.unknown())
  return listIn(data) ?? listIn(data, ID_LIST_FIELDS) ?? [data]
}

/** Ids are reported of malformed assets too: they are open, although they cannot be used. */
async function assetsOf(listed: readonly unknown[], { client, onMalformed, signal }: DecodeOptions) {
  const values = await complete(listed, client, signal)
  const ids = values.map((value) => assetIdIn(assetRecordIn(value))).filter((id) => id !== undefined)
  return { assets: await readAssets(values, { source: 'stream', onMalformed }), ids }
}

/**
 * The values of an event, with what the service has of each asset in the place of those that carry its id alone; without
 * those that it no longer has.
 * @throws as the client does
 */
async function complete(
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

/** The id of a value that states nothing else that is needed of an asset; null for any other. */
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
