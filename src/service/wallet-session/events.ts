import { z } from 'zod'
import { AttestdError } from '../../core/errors.js'
import type { ServiceEvent } from '../port.js'
import { eventData, type OnMalformed, unknownEvent } from '../record.js'
import type { RawEvent } from '../sse-connection.js'
import { assetIdIn, assetRecordIn, listIn, readAssets } from './reading.js'

/**
 * The port's events from one event of the stream (specification, Events; the payloads are not shown). The snapshot is
 * the first word of every connection.
 * @throws AttestdError event-malformed for an unknown name, data that is not JSON, or a snapshot
 * without a list; a malformed asset inside is skipped and reported
 */
export async function decodeEvent(event: RawEvent, onMalformed?: OnMalformed): Promise<readonly ServiceEvent[]> {
  switch (event.name) {
    case 'snapshot':
      return [
        { kind: 'ready', stake: null },
        { kind: 'snapshot', ...(await assetsOf(await snapshotIn(event), onMalformed)) },
      ]
    case 'new-asset':
      return [{ kind: 'delta', ...(await assetsOf(await newAssetsIn(event), onMalformed)) }]
    default:
      throw unknownEvent(event)
  }
}

async function snapshotIn(event: RawEvent): Promise<unknown[]> {
  const assets = listIn(await eventData(event, z.unknown()))
  if (assets) return assets
  throw new AttestdError('event-malformed', `An event ${event.name} has a wrong shape: it holds no list`)
}

/** One asset, as itself or wrapped, or several. */
async function newAssetsIn(event: RawEvent): Promise<unknown[]> {
  const data = await eventData(event, z.unknown())
  return listIn(data) ?? [data]
}

/** Ids are reported of malformed assets too: they are open, although they cannot be used. */
async function assetsOf(values: readonly unknown[], onMalformed: OnMalformed | undefined) {
  const ids = values.map((value) => assetIdIn(assetRecordIn(value))).filter((id) => id !== undefined)
  return { assets: await readAssets(values, { source: 'stream', onMalformed }), ids }
}
