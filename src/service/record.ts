import type { z } from 'zod'
import { AttestdError } from '../core/errors.js'
import { cleanText } from '../core/text.js'
import { parseJsonInTurns } from '../core/turns/parse-json.js'
import { issueText } from './issue-text.js'
import { nameText, shapeText } from './shape-text.js'
import type { RawEvent } from './sse-connection.js'

/** Where a malformed part stood: in an answer to a request, or in an event of the stream. */
export type MalformedSource = 'answer' | 'stream'

/** Called for every part of an answer or event that was skipped because its shape is wrong. */
export type OnMalformed = (event: {
  readonly what: 'asset' | 'stake'
  readonly source: MalformedSource
  /** Asset id where one could be read, cleaned. */
  readonly id: string | null
  /** Field and what is wrong with it. */
  readonly message: string
}) => void

/** A JSON object as a record; undefined for anything else. */
export function asRecord(value: unknown): Record<string, unknown> | undefined {
  const isRecord = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isRecord ? (value as Record<string, unknown>) : undefined
}

/**
 * The asset in the answers whose shape is not shown (one asset, registration): the answer itself, or what stands under
 * `asset` or `media`.
 */
export function recordIn(reply: unknown): Record<string, unknown> {
  const record = asRecord(reply) ?? {}
  return asRecord(record.asset) ?? asRecord(record.media) ?? record
}

/** A text of the service that names an asset, for a log line; null for anything but text. */
export function nameable(id: unknown): string | null {
  return typeof id === 'string' ? cleanText(id, 100) : null
}

/** Most entries of one list in an answer or event; more than the assets that fit into its bytes. */
export const MAX_ENTRIES = 25_000

/**
 * The JSON data of an event, read in short turns.
 * @throws AttestdError event-malformed where it is no JSON or of another shape, event-too-large where a list has more than
 * `MAX_ENTRIES`
 */
export async function eventData<Shape extends z.ZodType>(
  { name, data }: RawEvent,
  shape: Shape,
): Promise<z.output<Shape>> {
  const value = await eventJson(name, data)
  const result = shape.safeParse(value)
  if (result.success) return result.data
  throw new AttestdError(
    'event-malformed',
    `An event ${name} has a wrong shape: ${issueText(result.error)}; it is ${shapeText(value)}`,
  )
}

async function eventJson(name: string, data: string): Promise<unknown> {
  try {
    return await parseJsonInTurns(data, { maxEntries: MAX_ENTRIES })
  } catch (error) {
    if (!(error instanceof RangeError)) {
      throw new AttestdError('event-malformed', `The data of an event ${name} is not JSON.`)
    }
    throw new AttestdError('event-too-large', `The data of an event ${name} cannot be used: ${error.message}.`)
  }
}

/** The error for an event of a name that the specification does not state. */
export function unknownEvent({ name }: RawEvent): AttestdError {
  return new AttestdError('event-malformed', `An event has the unknown name ${nameText(name)}.`)
}
