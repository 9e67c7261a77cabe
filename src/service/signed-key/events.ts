import { cleanText } from '../../core/text.js'
import type { ServiceEvent } from '../port.js'
import { eventData, type OnMalformed, unknownEvent } from '../record.js'
import type { RawEvent } from '../sse-connection.js'
import { readAssets, stakeOf } from './reading.js'
import { assetsEventSchema, errorEventSchema, pingEventSchema, readyEventSchema } from './schemas.js'

/** Longest text of an `error` event that is repeated, characters. */
const ERROR_TEXT_MAX = 300

/**
 * The port's events from one event of the stream (specification, Events).
 * @throws AttestdError event-malformed for an unknown name,
 * data that is not JSON, or a wrong shape; a malformed asset inside is skipped and reported
 */
export async function decodeEvent(event: RawEvent, onMalformed?: OnMalformed): Promise<readonly ServiceEvent[]> {
  switch (event.name) {
    case 'ready':
      return [{ kind: 'ready', stake: stakeOf((await eventData(event, readyEventSchema)).stake) }]
    case 'open-assets':
      return [{ kind: 'snapshot', ...(await assetsIn(event, onMalformed)) }]
    case 'new-open-assets':
      return [{ kind: 'delta', ...(await assetsIn(event, onMalformed)) }]
    case 'ping':
      await eventData(event, pingEventSchema)
      return [{ kind: 'heartbeat' }]
    case 'error':
      return [{ kind: 'trouble', reason: 'stream-error-event', message: await errorText(event) }]
    default:
      throw unknownEvent(event)
  }
}

async function assetsIn(event: RawEvent, onMalformed: OnMalformed | undefined) {
  const { ids, assets } = await eventData(event, assetsEventSchema)
  return {
    assets: await readAssets(assets, { asked: false, source: 'stream', onMalformed }),
    ids: ids.filter((id) => typeof id === 'string'),
  }
}

async function errorText(event: RawEvent): Promise<string> {
  const { message } = await eventData(event, errorEventSchema)
  return `The service reported: ${cleanText(message, ERROR_TEXT_MAX)}`
}
