import type { z } from 'zod'
import { AttestdError } from '../core/errors.js'
import { cleanText } from '../core/text.js'
import { parseJson } from './long-answers.js'
import type { Asset } from './port.js'
import { issueText, nameText, shapeText } from './shape-text.js'
import type { RawEvent } from './stream-source.js'
import { mediaTypeSchema, turnaroundSchema } from './wire-fields.js'

/** Where a malformed part stood: in an answer to a request, or in an event of the stream. */
export type MalformedSource = 'answer' | 'stream'

/** Called for every part of an answer or event that was skipped because its shape is wrong. */
export type OnMalformed = (event: {
  readonly what: 'asset' | 'stake'
  readonly source: MalformedSource
  /** Asset id where one could be read, cleaned. */
  readonly id: string | null
  readonly message: string
}) => void

export function asRecord(value: unknown): Record<string, unknown> | undefined {
  const isRecord = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isRecord ? (value as Record<string, unknown>) : undefined
}

const ID_FIELDS = ['id', 'assetId'] as const
const ASSET_FIELDS = ['asset', 'media', 'mediaAsset', 'item'] as const

/**
 * What stands in an answer of no shown shape, out of its envelope: where `data` is an object and the answer is no asset
 * itself, its fields next to those around it.
 */
export function outOfEnvelope(reply: unknown): unknown {
  const { data, ...others } = asRecord(reply) ?? {}
  const inner = asRecord(data)
  return inner === undefined || assetIdIn(reply) !== undefined ? reply : { ...others, ...inner }
}

/** The id of an asset's record, as text; undefined where it has none. */
export function assetIdIn(value: unknown): string | undefined {
  const record = asRecord(value)
  const id = ID_FIELDS.map((field) => record?.[field]).find((found) => found !== undefined && found !== null)
  if (Number.isSafeInteger(id)) return String(id)
  return typeof id === 'string' ? id : undefined
}

/** The asset's record in an answer of no shown shape: the answer itself where it has an id, else what stands in it as the asset. */
export function assetRecordIn(reply: unknown): Record<string, unknown> {
  const record = asRecord(outOfEnvelope(reply)) ?? {}
  if (assetIdIn(record) !== undefined) return record
  return ASSET_FIELDS.map((field) => asRecord(record[field])).find((inner) => inner !== undefined) ?? record
}

/**
 * Kind of media and turnaround, as far as a record states them in values of the specification. A service may add others: what the
 * bytes are then shows its kind, and it is not urgent.
 */
export const kindIn = (record: Record<string, unknown>): Pick<Asset, 'mediaType' | 'turnaround'> => ({
  mediaType: mediaTypeSchema.safeParse(record.mediaType).data ?? null,
  turnaround: turnaroundSchema.safeParse(record.turnaround).data ?? 'standard',
})

/** When the asset closes (Unix ms), as far as its record states it. */
export function closingIn({ verificationDeadline }: Record<string, unknown>): { readonly closesAt?: number } {
  const at = typeof verificationDeadline === 'string' ? Date.parse(verificationDeadline) : Number.NaN
  return Number.isFinite(at) ? { closesAt: at } : {}
}

/** A text of the service that names an asset, for a log line; null for anything but text. */
export const nameable = (id: unknown): string | null => (typeof id === 'string' ? cleanText(id, 100) : null)

/** Lists, objects, members and commas in one event: some 3,500 assets. The worst of them take 80 ms on a slow machine. */
const MAX_EVENT_PARTS = 80_000

/** The JSON data of an event. @throws event-malformed, event-too-large (more than `MAX_EVENT_PARTS` parts) */
export function eventData<Shape extends z.ZodType>({ name, data }: RawEvent, shape: Shape): z.output<Shape> {
  const value = eventJson(name, data)
  const result = shape.safeParse(value)
  if (result.success) return result.data
  throw new AttestdError(
    'event-malformed',
    `An event ${name} has a wrong shape: ${issueText(result.error)}; it is ${shapeText(value)}`,
  )
}

function eventJson(name: string, data: string): unknown {
  try {
    return parseJson(data, MAX_EVENT_PARTS)
  } catch (error) {
    if (!(error instanceof RangeError)) {
      throw new AttestdError('event-malformed', `The data of an event ${name} is not JSON.`)
    }
    throw new AttestdError('event-too-large', `The data of an event ${name} cannot be used: ${error.message}.`)
  }
}

/** The error for an event of a name that the specification does not state. */
export const unknownEvent = ({ name }: RawEvent): AttestdError =>
  new AttestdError('event-malformed', `An event has the unknown name ${nameText(name)}.`)
