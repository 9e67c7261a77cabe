import { z } from 'zod'
import { AttestdError } from '../../core/errors.js'
import type { ServiceEvent } from '../port.js'
import { eventData, type OnMalformed, unknownEvent } from '../record.js'
import { shapeText } from '../shape-text.js'
import type { RawEvent } from '../sse-connection.js'
import { idListIn } from './named-assets.js'
import { assetIdIn, assetRecordIn, listIn, readAssets } from './reading.js'

/** What an event is read with. */
export interface DecodeOptions {
  /** Asks for the assets of which the event has the ids alone. */
  readonly complete: (values: readonly unknown[]) => Promise<readonly unknown[]>
  readonly onMalformed?: OnMalformed | undefined
}

/**
 * The port's events from one event of the stream (specification, Events; the payloads are not shown). The snapshot is
 * the first word of every connection.
 * @throws AttestdError event-malformed for an unknown name, data that is not JSON, or a snapshot
 * without a list, or as `complete` does; a malformed asset inside is skipped and reported
 */
export async function decodeEvent(
  event: RawEvent,
  { complete, onMalformed }: DecodeOptions,
): Promise<readonly ServiceEvent[]> {
  switch (event.name) {
    case 'snapshot':
      return [
        { kind: 'ready', stake: null },
        { kind: 'snapshot', ...(await assetsOf(await complete(await snapshotIn(event)), onMalformed)) },
      ]
    case 'new-asset':
      return [{ kind: 'delta', ...(await assetsOf(await complete(await newAssetsIn(event)), onMalformed)) }]
    default:
      throw unknownEvent(event)
  }
}

async function snapshotIn(event: RawEvent): Promise<unknown[]> {
  const data = await eventData(event, z.unknown())
  const assets = listIn(data) ?? idListIn(data)
  if (assets) return assets
  const what = `it holds no list; it is ${shapeText(data)}`
  throw new AttestdError('event-malformed', `An event ${event.name} has a wrong shape: ${what}`)
}

/** One asset, as itself or wrapped, or several; or the ids of them. */
async function newAssetsIn(event: RawEvent): Promise<unknown[]> {
  const data = await eventData(event, z.unknown())
  return listIn(data) ?? idListIn(data) ?? [data]
}

/** Ids are reported of malformed assets too: they are open, although they cannot be used. */
async function assetsOf(values: readonly unknown[], onMalformed: OnMalformed | undefined) {
  const ids = values.map((value) => assetIdIn(assetRecordIn(value))).filter((id) => id !== undefined)
  return { assets: await readAssets(values, { source: 'stream', onMalformed }), ids }
}
