import { type JsonPiece, jsonPieces } from './json-pieces.js'
import { Turns } from './turns.js'

/** What is parsed in one go, characters. */
export const SLICE_CHARS = 32 * 1024
/** Lists and objects larger than a slice are looked into this deep; `{"data": {"assets": [{}]}}` needs four. */
const MAX_DEPTH = 4
/** Longest text in it, characters; parsed in one go, some milliseconds. */
export const MAX_TEXT_CHARS = 2 * 1024 * 1024

/** Limits of `parseJsonInTurns`. */
export interface JsonLimits {
  /** Entries of one list, and members of one object. */
  readonly maxEntries: number
  readonly turns?: Turns
}

/**
 * `JSON.parse` for large texts from outside: slice by slice, with turns of the event loop in between. A text within it of
 * more than 2 Mi characters becomes null, and so does a list or object of more than 32 Ki below the fourth level: then only
 * the entry is malformed that holds it.
 * @throws SyntaxError where it is not JSON
 * @throws RangeError where a list or object has more than `maxEntries`
 */
export async function parseJsonInTurns(
  text: string,
  { maxEntries, turns = new Turns() }: JsonLimits,
): Promise<unknown> {
  return valueIn(text, { maxEntries, turns, depth: 0 })
}

interface Place extends Required<JsonLimits> {
  readonly depth: number
}

async function valueIn(text: string, place: Place): Promise<unknown> {
  const open = text.charAt(text.search(/\S/))
  const isNested = open === '[' || open === '{'
  if (text.length <= (isNested ? SLICE_CHARS : MAX_TEXT_CHARS)) {
    await place.turns.step(text.length)
    return JSON.parse(text)
  }
  if (!isNested || place.depth === MAX_DEPTH) return null
  const parts = await partsOf(text, open, place)
  // Unlike assignments, this makes an ordinary property of a member named `__proto__`.
  return open === '[' ? parts : Object.fromEntries(parts as [string, unknown][])
}

/** The values of a list, or the entries of an object. */
async function partsOf(text: string, open: '[' | '{', place: Place): Promise<unknown[]> {
  const { maxEntries, turns } = place
  const parts: unknown[] = []
  let count = 0
  for (const piece of jsonPieces(text, SLICE_CHARS)) {
    await turns.step(piece ? Math.min(piece.to - piece.from, SLICE_CHARS) : SLICE_CHARS)
    if (!piece) continue
    count += piece.members
    if (count > maxEntries) throw new RangeError(`it has a list or object of more than ${maxEntries} entries`)
    if (piece.to - piece.from > SLICE_CHARS) parts.push(await largePart(text, open, piece, place))
    else parts.push(...smallParts(text.slice(piece.from, piece.to), open))
  }
  return parts
}

function smallParts(members: string, open: '[' | '{'): unknown[] {
  return open === '[' ? JSON.parse(`[${members}]`) : Object.entries(JSON.parse(`{${members}}`))
}

async function largePart(
  text: string,
  open: '[' | '{',
  { from, to, colon }: JsonPiece,
  place: Place,
): Promise<unknown> {
  const below = { ...place, depth: place.depth + 1 }
  if (open === '[') return valueIn(text.slice(from, to), below)
  if (colon < 0 || colon - from > SLICE_CHARS) throw new SyntaxError('a member has no name, or a long one')
  const [name] = Object.keys(JSON.parse(`{${text.slice(from, colon)}:0}`))
  return [name, await valueIn(text.slice(colon + 1, to), below)]
}
