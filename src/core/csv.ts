/** A cell of a CSV: quoted where needed; a leading formula sign is defused, since texts come from outside. */
export function csvCell(text: string): string {
  const safe = /^[=+\-@\t\r]./s.test(text) && !/^-?[\d.]+(e[+-]?\d+)?$/i.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
