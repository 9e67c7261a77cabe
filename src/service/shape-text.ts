import type { z } from 'zod'

/** Keys of one object that are shown. */
const KEYS_MAX = 20
/** What a field is called: a word with a few digits at most. A token that a service repeats as a key is none. */
const NAME = /^(?!(?:.*\d){5})[A-Za-z_$][\w$.-]{0,29}$/

/** The shape of a value for an error message: its kind and its keys, never what stands in them. */
export function shapeText(value: unknown): string {
  if (Array.isArray(value))
    return value.length === 0 ? 'an empty list' : `a list of which the first is ${shapeText(value[0])}`
  const keys = keysIn(value)
  if (keys === null) return value === null ? 'null' : `a ${typeof value}`
  if (keys.length === 0) return 'an object without keys'
  return `an object with the keys ${keys.map((key) => withInner(key, value)).join(', ')}`
}

/** The sender's word for a thing, shown only where it can be a name: it may be a secret that the sender got from us. */
export const nameText = (name: string): string =>
  NAME.test(name) ? name : `(${name.length} characters that are no name)`

/** A wrapper is worth a look inside. */
function withInner(key: string, value: unknown): string {
  const inner = keysIn((value as Readonly<Record<string, unknown>>)[key]) ?? []
  const nested = inner.length === 0 ? '' : ` (${inner.map(nameText).join(', ')})`
  return `${nameText(key)}${nested}`
}

function keysIn(value: unknown): string[] | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
  return Object.keys(value).slice(0, KEYS_MAX)
}

/** The first thing that a schema found wrong, with where it stands; never the value itself. */
export function issueText(error: z.ZodError): string {
  const issue = error.issues[0]
  return `${issue?.path.join('.') || 'the value'}: ${issue?.message}`
}
