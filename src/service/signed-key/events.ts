import type { z } from 'zod'
import { AttestdError } from '../../core/errors.js'
import { cleanText } from '../../core/text.js'
import { issueText } from '../issue-text.js'
import type { ServiceEvent } from '../port.js'
import type { RawEvent } from '../stream-connection.js'
import { type OnMalformed, readAssets, stakeOf } from './reading.js'
import { assetsEventSchema, errorEventSchema, pingEventSchema, readyEventSchema } from './schemas.js'

/** Longest text of an `error` event that is repeated, characters. */
const ERROR_TEXT_MAX = 300

/**
 * The port's events from one event of the stream (specification, Events). Throws `event-malformed` for an unknown name,
 * data that is not JSON, or a wrong shape; a malformed asset inside is left out and told.
 */
export function decodeEvent(event: RawEvent, onMalformed?: OnMalformed): readonly ServiceEvent[] {
  switch (event.name) {
    case 'ready':
      return [{ kind: 'ready', stake: stakeOf(parsed(event, readyEventSchema).stake) }]
    case 'open-assets':
      return [{ kind: 'snapshot', ...assetsIn(event, onMalformed) }]
    case 'new-open-assets':
      return [{ kind: 'delta', ...assetsIn(event, onMalformed) }]
    case 'ping':
      parsed(event, pingEventSchema)
      return [{ kind: 'heartbeat' }]
    case 'error':
      return [{ kind: 'trouble', reason: 'stream-error-event', message: errorText(event) }]
    default:
      throw new AttestdError('event-malformed', `An event has the unknown name ${cleanText(event.name, 50)}.`)
  }
}

function assetsIn(event: RawEvent, onMalformed: OnMalformed | undefined) {
  const { ids, assets } = parsed(event, assetsEventSchema)
  return {
    assets: readAssets(assets, { asked: false, onMalformed }),
    ids: ids.filter((id) => typeof id === 'string'),
  }
}

function errorText(event: RawEvent): string {
  return `The service reported: ${cleanText(parsed(event, errorEventSchema).message, ERROR_TEXT_MAX)}`
}

function parsed<Shape extends z.ZodType>({ name, data }: RawEvent, shape: Shape): z.output<Shape> {
  let value: unknown
  try {
    value = JSON.parse(data)
  } catch {
    throw new AttestdError('event-malformed', `The data of an event ${name} is not JSON.`)
  }
  const result = shape.safeParse(value)
  if (result.success) return result.data
  throw new AttestdError('event-malformed', `An event ${name} has a wrong shape: ${issueText(result.error)}`)
}
