import { cleanText } from '../core/text.js'

/** Keys of one object that are told, and characters of each. */
const KEYS_MAX = 20
const KEY_MAX = 40

/** The shape of a value for an error message: its kind and its keys, never what stands in them. */
export function shapeText(value: unknown): string {
  if (Array.isArray(value))
    return value.length === 0 ? 'an empty list' : `a list of which the first is ${shapeText(value[0])}`
  const keys = keysIn(value)
  if (keys === null) return value === null ? 'null' : `a ${typeof value}`
  if (keys.length === 0) return 'an object without keys'
  return `an object with the keys ${keys.map((key) => withInner(key, value)).join(', ')}`
}

/** A wrapper is worth a look inside. */
function withInner(key: string, value: unknown): string {
  const inner = keysIn((value as Readonly<Record<string, unknown>>)[key]) ?? []
  const told = inner.length === 0 ? '' : ` (${inner.map((each) => cleanText(each, KEY_MAX)).join(', ')})`
  return `${cleanText(key, KEY_MAX)}${told}`
}

/** The first keys of an object; null for anything else. */
function keysIn(value: unknown): string[] | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
  return Object.keys(value).slice(0, KEYS_MAX)
}
