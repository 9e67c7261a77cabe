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
export function decodeEvent(event: RawEvent, onMalformed?: OnMalformed): readonly ServiceEvent[] {
  switch (event.name) {
    case 'ready':
      return [{ kind: 'ready', stake: stakeOf(eventData(event, readyEventSchema).stake) }]
    case 'open-assets':
      return [{ kind: 'snapshot', ...assetsIn(event, onMalformed) }]
    case 'new-open-assets':
      return [{ kind: 'delta', ...assetsIn(event, onMalformed) }]
    case 'ping':
      eventData(event, pingEventSchema)
      return [{ kind: 'heartbeat' }]
    case 'error':
      return [{ kind: 'trouble', reason: 'stream-error-event', message: errorText(event) }]
    default:
      throw unknownEvent(event)
  }
}

function assetsIn(event: RawEvent, onMalformed: OnMalformed | undefined) {
  const { ids, assets } = eventData(event, assetsEventSchema)
  return {
    assets: readAssets(assets, { asked: false, onMalformed }),
    ids: ids.filter((id) => typeof id === 'string'),
  }
}

function errorText(event: RawEvent): string {
  return `The service reported: ${cleanText(eventData(event, errorEventSchema).message, ERROR_TEXT_MAX)}`
}
