import type { z } from 'zod'
import { AttestdError } from '../core/errors.js'
import { cleanText } from '../core/text.js'
import { issueText } from './issue-text.js'
import type { RawEvent } from './sse-connection.js'

/** The JSON data of an event. Throws `event-malformed` where it is no JSON or of another shape. */
export function eventData<Shape extends z.ZodType>({ name, data }: RawEvent, shape: Shape): z.output<Shape> {
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

/** The error for an event of a name that the specification does not state. */
export function unknownEvent({ name }: RawEvent): AttestdError {
  return new AttestdError('event-malformed', `An event has the unknown name ${cleanText(name, 50)}.`)
}
