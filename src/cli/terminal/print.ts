import { safeText } from '../../core/safe-output.js'

/** Prints text, made safe, since ids, titles and messages come from outside. Verbs write to standard output by this only; JSON by `safeJson` stays as it is. */
export function printText(text: string): void {
  process.stdout.write(safeText(text))
}

/** Prints what went wrong, made safe, to standard error. */
export function printError(text: string): void {
  process.stderr.write(safeText(text))
}
