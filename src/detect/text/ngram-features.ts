/**
 * Hashed n-gram counts, bit for bit those of train/features.py of attestd-text. Characters and words have their own half
 * of the index space: character n-grams 0 to buckets - 1, word n-grams buckets to 2 * buckets - 1.
 */

export interface NgramPlan {
  /** Lengths of the character n-grams, shortest and longest. */
  readonly characters: readonly [number, number]
  /** Lengths of the word n-grams; none are taken without it. */
  readonly words?: readonly [number, number] | undefined
  /** Hash buckets of each half; a power of two. */
  readonly buckets: number
}

/** Offset and prime of FNV-1a, here over code points. */
const OFFSET = 0x811c9dc5
const PRIME = 0x01000193
/** Sets n-grams of different length apart: 2^32 over the golden ratio. */
const LENGTH_STEP = 0x9e3779b1

const GLUED_SENTENCES = /([a-z)])([.!?])(?=[A-Z])/g
const DIGIT = /\p{Nd}/gu
/** Words with a contraction, and every other mark by itself. */
const WORD = /[\p{L}\p{N}_]+(?:'[\p{L}\p{N}_]+)?|[^\p{L}\p{N}_ ]/gu

/** What is measured: sentences glued by a lost line break are parted, every digit is 0. */
export const canonicalText = (text: string): string => text.replace(GLUED_SENTENCES, '$1$2 ').replace(DIGIT, '0')

/** Words and marks of a canonical text, in order. */
export const tokensOf = (text: string): string[] => text.match(WORD) ?? []

/** Counts the n-grams of a normalized text. @returns which buckets it fills, ascending, and how often each */
export function countNgrams(text: string, plan: NgramPlan) {
  const canonical = canonicalText(text)
  const counts = new Map<number, number>()
  addNgrams(counts, codePoints(canonical), plan.characters, plan.buckets, 0)
  if (plan.words !== undefined) {
    const words = Uint32Array.from(tokensOf(canonical.toLowerCase()), hashWord)
    addNgrams(counts, words, plan.words, plan.buckets, plan.buckets)
  }
  const indices = Uint32Array.from(counts.keys()).sort()
  return {
    indices: BigInt64Array.from(indices, BigInt),
    counts: Float32Array.from(indices, (index) => counts.get(index) as number),
  }
}

function addNgrams(
  counts: Map<number, number>,
  symbols: Uint32Array,
  [shortest, longest]: readonly [number, number],
  buckets: number,
  base: number,
): void {
  const hashes = new Uint32Array(symbols.length).fill(OFFSET)
  for (let length = 1; length <= Math.min(longest, symbols.length); length++) {
    const tag = Math.imul(length, LENGTH_STEP)
    for (let at = 0; at + length <= symbols.length; at++) {
      const mixed = Math.imul((hashes[at] as number) ^ (symbols[at + length - 1] as number), PRIME)
      const hash = mixed ^ (mixed >>> 15)
      hashes[at] = hash
      if (length < shortest) continue
      const bucket = base + (finalize((hash + tag) | 0) & (buckets - 1))
      counts.set(bucket, (counts.get(bucket) ?? 0) + 1)
    }
  }
}

const codePoints = (text: string): Uint32Array =>
  Uint32Array.from(Array.from(text, (character) => character.codePointAt(0) as number))

function hashWord(word: string): number {
  let hash = OFFSET
  for (const character of word) {
    hash = Math.imul(hash ^ (character.codePointAt(0) as number), PRIME)
    hash ^= hash >>> 15
  }
  return hash >>> 0
}

/** The finalizer of MurmurHash3. */
function finalize(hash: number): number {
  let mixed = hash ^ (hash >>> 16)
  mixed = Math.imul(mixed, 0x85ebca6b)
  mixed ^= mixed >>> 13
  mixed = Math.imul(mixed, 0xc2b2ae35)
  return (mixed ^ (mixed >>> 16)) >>> 0
}
