/** A sign that steers a terminal or misleads a reader, line ends and tabs among them. */
export const UNSAFE_SIGN = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u

const STEERING = [
  '\u001b[2J',
  '\u001b]0;title\u0007',
  '\u009b31m',
  '\u0000',
  '\b\b\b',
  '\u007f',
  '\u0085',
  '\r',
  '\n',
  '\r\n',
  '\t',
]
const DIRECTION = [...'\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c']
const PIECES = [...STEERING, ...DIRECTION, '\ud800', '\udc00', '"', ',', '\\', '=1+1', '@x', 'a1', ' ', '漢', '😀']

/** Texts as a hostile service or file may send them; the same ones each time, every piece among them. */
export function hostileTexts(count: number): string[] {
  let state = 1
  const next = (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
  return Array.from({ length: count }, (_, index) =>
    [PIECES[index % PIECES.length], ...Array.from({ length: next(6) }, () => PIECES[next(PIECES.length)])].join(''),
  )
}

/** Stands at the start of lines that only hostile data could have begun. */
const FORGED = 'forged'
/** Every kind of hostile sign in one text, short enough for an id; a NUL is in `HOSTILE` alone, since no path can hold one. */
export const HOSTILE_NAME = `x\u001b[2J\u001b]0;t\u0007\u009b31m\b\u007f\u0085${DIRECTION.join('')}\r\n${FORGED}\n${FORGED}\r${FORGED}\ty`
/** The same as a service or file may send it: with a NUL, and very long. */
export const HOSTILE = `${HOSTILE_NAME}\u0000${'long '.repeat(2000)}`

/** What is wrong with a text that was printed: a sign that steers the terminal, or a line that hostile data began. */
export function harmIn(printed: string): string | null {
  const sign = UNSAFE_SIGN.exec(printed.replaceAll(/\r\n|[\n\t]/g, ''))
  if (sign) return `a raw U+${sign[0].codePointAt(0)?.toString(16)}`
  return printed.split(/\r\n|\n/).some((line) => line.startsWith(FORGED)) ? 'a forged line' : null
}

/** Whether a text from the data was printed, in whatever way it was made safe. */
export const isShown = (printed: string): boolean => printed.includes(FORGED)
