import { safeLine } from './safe-output.js'

/** Where a spreadsheet may see a formula, in usual or full width: at the start of a cell, and after `;`, which is its separator in some languages. */
const FORMULA = /(^|[;；])(\s*["']*\s*)(?=[=+\-@＝＋－＠].)/gs
const NUMBER = /^-?[\d.]+(e[+-]?\d+)?$/i

/** The lines of a CSV, as RFC 4180 ends them. */
export const csvLines = (rows: readonly (readonly string[])[]): string =>
  rows.map((cells) => `${cells.map(csvCell).join(',')}\r\n`).join('')

/** A cell of a CSV on one line: quoted where needed; what may be a formula is defused, since texts come from outside. */
export function csvCell(raw: string): string {
  const text = safeLine(raw)
  const safe = NUMBER.test(text) ? text : text.replace(FORMULA, "$1'$2")
  return /[",]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
