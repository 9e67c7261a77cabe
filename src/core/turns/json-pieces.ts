/** Neighboring members of a JSON list or object that are small enough together, or one that is too large alone. */
export interface JsonPiece {
  /** Where it begins in the text; the commas around it are not in it. */
  readonly from: number
  /** Where it ends, exclusive. */
  readonly to: number
  /** Where the colon of its first member is; -1 where it has none. */
  readonly colon: number
  readonly members: number
}

const QUOTE = 34
const COMMA = 44
const COLON = 58
const LIST_START = 91
const BACKSLASH = 92
const LIST_END = 93
const OBJECT_START = 123
const OBJECT_END = 125

/**
 * Cuts the text of a JSON list or object into pieces, in one pass that looks at brackets, quotes and commas alone: what
 * lies in a piece is for `JSON.parse` to judge.
 * @param slice longest piece of several members, and what is scanned between two pauses, characters
 * @returns pieces in order, and null where it pauses
 * @throws SyntaxError where brackets and commas are not those of one list or object
 */
export function* jsonPieces(text: string, slice: number): Generator<JsonPiece | null> {
  let piece: JsonPiece | undefined
  for (const member of membersOf(text, slice)) {
    if (piece && member && member.to - piece.from <= slice) {
      piece = joined(piece, member)
      continue
    }
    if (piece) yield piece
    if (!member) yield null
    piece = member ?? undefined
  }
  if (piece) yield piece
}

function joined({ from, colon, members }: JsonPiece, { to }: JsonPiece): JsonPiece {
  return { from, to, colon, members: members + 1 }
}

/** Each member alone, and null where it pauses. */
function* membersOf(text: string, slice: number): Generator<JsonPiece | null> {
  const start = text.search(/\S/)
  let from = start + 1
  let colon = -1
  let depth = 0
  let inText = false
  let pauseAt = start + slice
  for (let at = start; at < text.length; at++) {
    if (at >= pauseAt) {
      yield null
      pauseAt = at + slice
    }
    const code = text.charCodeAt(at)
    if (code === BACKSLASH) at++
    else if (code === QUOTE) inText = !inText
    if (inText) continue
    if (code === LIST_START || code === OBJECT_START) depth++
    else if (code === LIST_END || code === OBJECT_END) depth--
    if (depth === 0) return yield* lastMember(text, start, { from, to: at, colon, members: 1 })
    if (depth > 1) continue
    if (code === COLON && colon < 0) colon = at
    if (code !== COMMA) continue
    yield notBlank(text, { from, to: at, colon, members: 1 })
    from = at + 1
    colon = -1
  }
  throw new SyntaxError('it ends before its brackets do')
}

/** @param start of the list or object; `piece.to` is its last bracket */
function* lastMember(text: string, start: number, piece: JsonPiece): Generator<JsonPiece> {
  const brackets = text.charAt(start) + text.charAt(piece.to)
  if ((brackets !== '[]' && brackets !== '{}') || text.slice(piece.to + 1).trim() !== '') {
    throw new SyntaxError('it does not end as it began')
  }
  const isEmpty = piece.from === start + 1 && text.slice(piece.from, piece.to).trim() === ''
  if (!isEmpty) yield notBlank(text, piece)
}

function notBlank(text: string, piece: JsonPiece): JsonPiece {
  if (text.slice(piece.from, piece.to).trim() === '') throw new SyntaxError('a comma has nothing beside it')
  return piece
}
