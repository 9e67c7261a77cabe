/** What a line of an event stream is to its parser; `unknown` lines and comments mean nothing to it. */
export type Line = 'blank' | 'comment' | 'unknown' | 'field'

export const LF = 10
const CR = 13
const COLON = 58
/** The fields that are passed on. `retry` is not one of them: the waits between connections are the reader's own. */
const FIELDS = ['data', 'event', 'id'].map((name) => Buffer.from(name))
/** From so many bytes a line is told: the longest name and what ends it. */
const HEAD_BYTES = 6

/** What the line is that begins here; null where too little of it is there. */
export function lineAt(bytes: Uint8Array, at: number): Line | null {
  const first = bytes[at]
  if (first === LF || first === CR) return 'blank'
  if (first === COLON) return 'comment'
  if (FIELDS.some((name) => startsWith(bytes, at, name) && endsField(bytes[at + name.length]))) return 'field'
  return bytes.length - at < HEAD_BYTES && endOfLine(bytes, at) === bytes.length ? null : 'unknown'
}

function endsField(byte: number | undefined): boolean {
  return byte === COLON || byte === LF || byte === CR
}

/** Whether these bytes stand there. */
export function startsWith(bytes: Uint8Array, at: number, start: Uint8Array): boolean {
  return start.every((byte, offset) => bytes[at + offset] === byte)
}

/** Where the line ends, or the length where its end is not there yet. */
export function endOfLine(bytes: Uint8Array, from: number): number {
  let at = from
  while (at < bytes.length && bytes[at] !== LF && bytes[at] !== CR) at++
  return at
}
