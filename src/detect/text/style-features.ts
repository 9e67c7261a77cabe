import { charactersIn } from './characters.js'
import { canonicalText, tokensOf } from './ngram-features.js'
import { sentencesOf } from './sentences.js'

/** Measures of train/style.py of attestd-text, in its order: only shares and averages, so the subject states little. */

const SUFFIXES = ['ly', 'ing', 'ed', 'tion', 'ment', 'ness', 'ity', 'able', 'ous', 'ive', 's', 'er', 'al', 'ful']
const MARKS = [...`,;:-()"'!?.0$%&/`]
const OPENERS = [
  ['the', 'this', 'these'],
  ['i', 'my', 'we'],
  ['and', 'but', 'so', 'or'],
  ['it', 'he', 'she', 'they'],
]
const PATTERNS = [
  /, [\p{L}\p{N}_]+ing(?![\p{L}\p{N}_])/gu,
  /[\p{L}\p{N}_]+, [\p{L}\p{N}_]+(?: [\p{L}\p{N}_]+)?,? and /gu,
  /, and /g,
  /, (?:which|who|where|while|as|but|so) /g,
  /\.\.\./g,
  /[!?]{2}/g,
  / - /g,
  /[a-z)\]]\.[A-Z]| [,.;]| {2}/g,
]
/** Words over which variety is measured; the same number for every text that has them, since variety falls with length. */
const VARIETY_WORDS = 100

const STARTS_AS_WORD = /^[\p{L}\p{N}_]/u
const STARTS_UPPER = /^\p{Uppercase}/u
const STARTS_LOWER = /^\p{Lowercase}/u
const HAS_UPPER = /\p{Uppercase}/u
const HAS_LOWER = /[\p{Lowercase}\p{Lt}]/u

/** The measures of a passage of normalized text, in a fixed order. */
export function styleMeasures(text: string): Float32Array {
  const canonical = canonicalText(text)
  const words = wordsOf(canonical)
  const lower = words.map((word) => word.toLowerCase())
  const spoken = sentencesOf(canonical)
    .map(wordsOf)
    .filter((sentence) => sentence.length > 0)
  const length = charactersIn(canonical)
  return Float32Array.from([
    ...rhythm(spoken.map((sentence) => sentence.length)),
    ...vocabulary(lower),
    ...MARKS.map((mark) => Math.sqrt((100 * (canonical.split(mark).length - 1)) / length)),
    ...SUFFIXES.map((suffix) =>
      share(lower, (word) => word.endsWith(suffix) && charactersIn(word) > suffix.length + 2),
    ),
    ...shapes(words),
    ...openings(spoken.map((sentence) => sentence[0] as string)),
    ...PATTERNS.map((pattern) => (100 * (canonical.match(pattern)?.length ?? 0)) / Math.max(words.length, 1)),
  ])
}

/** How sentence lengths (in words) vary. */
function rhythm(lengths: readonly number[]): number[] {
  const steps = lengths.slice(1).map((length, index) => Math.abs(length - (lengths[index] as number)))
  return [
    Math.log(mean(lengths) + 1),
    Math.log(deviation(lengths) + 1),
    deviation(lengths) / (mean(lengths) + 1),
    Math.log(Math.max(0, ...lengths) + 1),
    Math.log((lengths.length === 0 ? 0 : Math.min(...lengths)) + 1),
    share(lengths, (length) => length < 6),
    share(lengths, (length) => length > 30),
    Math.log(mean(steps) + 1),
  ]
}

function vocabulary(lower: readonly string[]): number[] {
  const lengths = lower.map(charactersIn)
  const first = lower.slice(0, VARIETY_WORDS)
  const times = new Map<string, number>()
  for (const word of first) times.set(word, (times.get(word) ?? 0) + 1)
  const pairs = first.slice(1).map((word, index) => `${first[index]} ${word}`)
  return [
    mean(lengths),
    deviation(lengths),
    share(lengths, (length) => length > 8),
    share(lengths, (length) => length < 4),
    times.size / Math.max(first.length, 1),
    share([...times.values()], (count) => count === 1),
    new Set(pairs).size / Math.max(pairs.length, 1),
  ]
}

function shapes(words: readonly string[]): number[] {
  return [
    share(words, (word) => STARTS_UPPER.test(word)),
    share(words, (word) => charactersIn(word) > 1 && HAS_UPPER.test(word) && !HAS_LOWER.test(word)),
    share(words, (word) => word.includes("'")),
    share(words, (word) => word.startsWith('0')),
    share(words, (word) => word === 'i'),
  ]
}

/** How sentences begin. @param firsts the first word of each sentence */
function openings(firsts: readonly string[]): number[] {
  const lower = firsts.map((word) => word.toLowerCase())
  return [
    ...OPENERS.map((group) => share(lower, (word) => group.includes(word))),
    share(firsts, (word) => STARTS_LOWER.test(word)),
    share(lower, (word) => charactersIn(word) > 5 && word.endsWith('ly')),
  ]
}

const wordsOf = (text: string): string[] => tokensOf(text).filter((token) => STARTS_AS_WORD.test(token))

const mean = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length

function deviation(values: readonly number[]): number {
  const middle = mean(values)
  return Math.sqrt(mean(values.map((value) => (value - middle) ** 2)))
}

const share = <T>(values: readonly T[], holds: (value: T) => boolean): number =>
  values.length === 0 ? 0 : values.filter(holds).length / values.length
