import { safeLine } from './safe-output.js'

/** A cell of a CSV on one line: quoted where needed; a leading formula sign is defused, since texts come from outside. */
export function csvCell(raw: string): string {
  const text = safeLine(raw)
  const safe = /^\s*[=+\-@]./.test(text) && !/^-?[\d.]+(e[+-]?\d+)?$/i.test(text) ? `'${text}` : text
  return /[",]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
