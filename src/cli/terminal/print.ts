import { safeJson, safeLines, safeText } from '../../core/safe-output.js'

// Verbs write by these alone, since ids, titles, paths and messages come from outside.

/** Prints a table, or JSON by `safeJson`, which stays as it is, to standard output; what is unsafe is replaced. */
export function printText(text: string): void {
  process.stdout.write(safeText(text))
}

export function printLines(lines: readonly string[]): void {
  process.stdout.write(safeLines(lines))
}

/** Prints what a verb found. @param shown for people, made only without `json`: safe text, as of `table`, or lines */
export function printFound(json: boolean | undefined, found: unknown, shown: () => string | readonly string[]): void {
  const text = json ? safeJson(found, 2) : shown()
  if (typeof text === 'string') printText(`${text}\n`)
  else printLines(text)
}

/** Prints lines to standard error, made safe: what went wrong, and progress. */
export function printErrorLines(lines: readonly string[]): void {
  process.stderr.write(safeLines(lines))
}

/** Prints lines of our own words alone to standard error: what makes others safe asks for more than an old Node has. */
export function printOwnErrorLines(lines: readonly string[]): void {
  process.stderr.write(`${lines.join('\n')}\n`)
}
