/**
 * The normalizer of the text pack (norm.py), step for step: raw formatting alone gives human and machine prose of the
 * usual collections away and means nothing, so the detector is trained and run on text without it.
 * Regular expressions are written so that they mean here what they mean in Python: `\s` there includes U+0085, `\w` all
 * letters and numbers, `^` in multi-line mode follows a line feed only, and `i` ignores the dots of Turkish letters.
 */

const SPACE = '[\\s\\x85]'
const NO_SPACE = '[^\\s\\x85]'
const WORD = '[\\p{L}\\p{N}_]'
const LINE_START = '(?<=^|\\n)'
/** Python's word boundary, next to a word character. */
const WORD_STARTS = `(?<!${WORD})`
const WORD_ENDS = `(?!${WORD})`

/** Invisible characters and control codes other than tab, line feed and carriage return. */
const INVISIBLE = rule(
  '[\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u2064\\ufeff\\u00ad\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f]',
)
const PLAIN_MARKS: Readonly<Record<string, string>> = {
  '’': "'",
  '‘': "'",
  '‚': "'",
  '‛': "'",
  ʼ: "'",
  '´': "'",
  '“': '"',
  '”': '"',
  '„': '"',
  '‟': '"',
  '«': '"',
  '»': '"',
  '″': '"',
  '…': '...',
  '\u00a0': ' ',
  '‑': '-',
  '‐': '-',
  '−': '-',
}
const TYPOGRAPHIC = rule(`[${Object.keys(PLAIN_MARKS).join('')}]`)

/** How an answer of a chat program begins: an announcement line, or a label such as `Title:`. */
const PREAMBLE = anyCase(
  `^${SPACE}*(?:(?:sure|certainly|of course|absolutely|okay|ok)[,!. ][^\\n]{0,160}\\n+` +
    `|(?:here(?:'s| is| are)|below is|this is)[^\\n]{0,160}:${SPACE}*\\n+` +
    `|(?:title|abstract|review|article|essay|story|answer|response|revised text|rewritten text|polished text)${SPACE}*:${SPACE}*)`,
  '',
)
const TITLE_LINE = rule(`^${SPACE}*[^\\n.!?。！？؟۔]{1,90}\\n${SPACE}*\\n+(?=${NO_SPACE})`, '')

type Step = readonly [pattern: RegExp, replacement: string | ((match: string) => string)]

const MARKUP: readonly Step[] = [
  [rule(`${LINE_START}${SPACE}*(?:[-*•]|\\p{Nd}{1,2}[.)])${SPACE}+`), ''],
  [rule(`\\[([^\\]\\n]{1,80})\\]\\([^)\\s\\x85]{1,300}\\)`), '$1'],
  [rule('[*_`#~|]+'), (marks) => (marks === '``' ? '"' : '|#'.includes(marks[0] as string) ? ' ' : '')],
  [rule("''"), '"'],
  [rule(`https?://${NO_SPACE}+|www\\.${NO_SPACE}+|URL\\p{Nd}*`), ''],
  [anyCase(`\\[${SPACE}*(?:deleted|removed|WP)${SPACE}*\\]`), ''],
  [anyCase(`<${SPACE}*(?:newline|br${SPACE}*/?)${SPACE}*>`), ' '],
]

const SPACES = rule(`${SPACE}+`)
/** Runs of white space are single spaces by now, so every side has at most one. */
const DASHES = rule(' ?(?:[—–―]|(?<= )-{1,3}(?= )|-{2,}) ?')

/** Undoes the spaces of the Penn Treebank tokenization. */
const DETOKENIZE: readonly Step[] = [
  [anyCase(` (n't|'s|'re|'ve|'ll|'d|'m)${WORD_ENDS}`), '$1'],
  [rule(`(${WORD}) ' (t|s|re|ve|ll|d|m)${WORD_ENDS}`), "$1'$2"],
  [
    anyCase(
      `${WORD_STARTS}(ca|wo|do|is|was|did|would|could|should|does|are|were|have|has|had|must|need|ai) (n't)${WORD_ENDS}`,
    ),
    '$1$2',
  ],
  [anyCase(`${WORD_STARTS}(gon|wan|got) (na|ta)${WORD_ENDS}`), '$1$2'],
  [rule(' +([,.;:?!)\\]}%])'), '$1'],
  [rule('([(\\[{$]) +'), '$1'],
  [rule('([。！？，、；：]) +'), '$1'],
  [rule(' +([。！？，、；：])'), '$1'],
  [rule('([.!?])\\1{3,}'), '$1$1$1'],
]
const SPACED_QUOTE = rule(`(^| )" ${WORD}`, '')
/** What may follow a closing quote without a space between. */
const AFTER_QUOTE = ' .,;:?!)'

/** Runs of white space longer than this are shortened at first: far longer than any rule counts, short enough that none takes long. */
const LONG_RUN = 400
const LONG_SPACES = rule(`(?<!${SPACE})${SPACE}{${LONG_RUN},}`)
/** More marks on one letter than any script stacks, of which all but the first are dropped: putting marks in order takes their number squared. */
const MOST_MARKS = 128
const STACKED_MARKS = rule(`(?<!\\p{M})(\\p{M}{${MOST_MARKS}})\\p{M}+`)

/** The text as the detector takes it: one line without markup, typography, announcements and titles. */
export function normalizeText(text: string): string {
  let plain = text.replace(STACKED_MARKS, '$1').normalize('NFC').replaceAll('\r\n', '\n').replaceAll('\r', '\n')
  plain = plain.replace(INVISIBLE, '').replace(TYPOGRAPHIC, (mark) => PLAIN_MARKS[mark] as string)
  plain = plain.replace(LONG_SPACES, shorten)
  plain = plain.replace(rule(`${LINE_START}${SPACE}{0,3}#{1,6}${SPACE}*`), '')
  plain = apply(withoutOpening(plain), MARKUP)
  plain = plain.replace(SPACES, ' ').replace(DASHES, ' - ').replace(SPACES, ' ')
  return trimmed(joinQuotes(apply(plain, DETOKENIZE)))
}

/** Drops up to two announcements or titles at the start. */
function withoutOpening(text: string): string {
  let rest = text
  for (let round = 0; round < 2; round++) {
    const shorter = strip(rest.replace(PREAMBLE, '')).replace(TITLE_LINE, '')
    if (shorter === rest) break
    rest = shorter
  }
  return rest
}

/** `" Yes "` becomes `"Yes"`, where the text has quotes with a space after the opening one. */
function joinQuotes(text: string): string {
  if (!SPACED_QUOTE.test(text)) return text
  const [first = '', ...rest] = text.split('"')
  const joined = [first]
  for (const [index, segment] of rest.entries()) {
    const before = (joined.at(-1) as string).replace(/ +$/, '')
    const opens = index % 2 === 0
    joined[joined.length - 1] = opens && before.trim() !== '' ? `${before} ` : before
    if (opens) joined.push(`"${segment.replace(/^ +/, '')}`)
    else joined.push(`"${segment === '' || AFTER_QUOTE.includes(segment[0] as string) ? '' : ' '}${segment}`)
  }
  return joined.join('')
}

/** Drops spaces and hyphens at both ends, and quotes too where one at the start has no partner. */
function trimmed(text: string): string {
  const isOdd = /^['"]/.test(text) && (text.split('"').length - 1) % 2 === 1
  return isOdd ? text.replace(/^[ '"-]+/, '').replace(/(?<![ '"-])[ '"-]+$/, '') : dropEnds(text)
}

const dropEnds = (text: string): string => text.replace(/^[ -]+/, '').replace(/(?<![ -])[ -]+$/, '')

const strip = (text: string): string => text.replace(STRIP_START, '').replace(STRIP_END, '')

const STRIP_START = rule(`^${SPACE}+`, '')
const STRIP_END = rule(`(?<!${SPACE})${SPACE}+$`, '')

/** Keeps both ends of a run, and between them as many line feeds as matter: none, one or two. */
function shorten(run: string): string {
  const middle = run.slice(LONG_RUN / 2, -LONG_RUN / 2)
  return run.slice(0, LONG_RUN / 2) + '\n'.repeat(Math.min(2, middle.split('\n').length - 1)) + run.slice(-LONG_RUN / 2)
}

function apply(text: string, steps: readonly Step[]): string {
  return steps.reduce(
    (so, [pattern, replacement]) =>
      typeof replacement === 'string' ? so.replace(pattern, replacement) : so.replace(pattern, replacement),
    text,
  )
}

function rule(source: string, flags = 'g'): RegExp {
  return new RegExp(source, `${flags}u`)
}

/** Case is ignored as Python does it: i stands for the Turkish ones too. */
function anyCase(source: string, flags = 'g'): RegExp {
  return rule(source.replaceAll(/(?<![\\?[])i/g, '[iıİ]'), `${flags}i`)
}
