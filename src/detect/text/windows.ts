import { sentencePieces } from './sentences.js'

/** A passage of a normalized text, without the space behind it. */
export interface TextWindow {
  readonly text: string
  /** In characters (code points) of the normalized text, the end excluded. */
  readonly start: number
  readonly end: number
}

/** Bounds of a window, in characters (code points) of the normalized text. */
export interface WindowPlan {
  /** Longest window, characters. */
  readonly longest: number
  /** Shortest one that a cut may leave, where sentence ends allow it. */
  readonly shortest: number
}

interface Piece {
  readonly text: string
  /** Where it ends in the text, characters. */
  readonly end: number
}

/** Cuts a text into windows of about equal length that end where a sentence does; as train/data.py of attestd-text. */
export function cutWindows(text: string, plan: WindowPlan): TextWindow[] {
  const pieces = piecesOf(text, plan.longest)
  const length = pieces.at(-1)?.end ?? 0
  const windows: TextWindow[] = []
  let [start, first] = [0, 0]
  while (length - start > plan.longest) {
    const last = chooseEnd(pieces, first, start, length, plan)
    windows.push(windowOf(pieces.slice(first, last + 1), start))
    start = (pieces[last] as Piece).end
    first = last + 1
  }
  windows.push(windowOf(pieces.slice(first), start))
  // Between two words that are longer than a window, a space can be left alone.
  return windows.filter((window) => window.text !== '')
}

/** Index of the piece after which to cut: its end lies nearest to what would make all remaining windows alike. */
function chooseEnd(pieces: readonly Piece[], first: number, start: number, length: number, plan: WindowPlan): number {
  const left = length - start
  const ideal = start + left / Math.ceil(left / plan.longest)
  let [best, lastFitting] = [-1, first]
  for (let index = first; index < pieces.length; index++) {
    const { end } = pieces[index] as Piece
    if (end > start + plan.longest) break
    lastFitting = index
    if (end < start + plan.shortest || end > length - plan.shortest) continue
    if (best < 0 || Math.abs(end - ideal) < Math.abs((pieces[best] as Piece).end - ideal)) best = index
  }
  return best < 0 ? lastFitting : best
}

function windowOf(pieces: readonly Piece[], start: number): TextWindow {
  return {
    text: pieces
      .map(({ text }) => text)
      .join('')
      .trimEnd(),
    start,
    end: pieces.at(-1)?.end ?? start,
  }
}

/** Sentences; one that is longer than a window is cut at a space in its second half, or anywhere. */
function piecesOf(text: string, longest: number): Piece[] {
  const found: Piece[] = []
  let end = 0
  for (const piece of sentencePieces(text)) {
    const characters = Array.from(piece)
    for (let at = 0; at < characters.length; ) {
      // By index: cutting the rest off again each time takes minutes where 2 MiB are one sentence.
      const next = characters.length - at > longest ? cutAfter(characters, at, longest) : characters.length
      end += next - at
      found.push({ text: characters.slice(at, next).join(''), end })
      at = next
    }
  }
  return found
}

/** Where a piece that starts at `at` and is longer than a window ends. */
function cutAfter(characters: readonly string[], at: number, longest: number): number {
  const middle = at + Math.floor(longest / 2)
  for (let space = at + longest - 1; space >= middle; space--) if (characters[space] === ' ') return space + 1
  return at + longest
}
