/**
 * What could steer a terminal or mislead a reader: control codes (C0 but tab and line end, DEL, C1), line separators, and marks
 * that change the direction of text (Bidi_Control of Unicode).
 */
const UNSAFE = /(?!\t|\n|\r\n)[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu

/** Text for people: what is unsafe becomes U+FFFD; lines and tabs stay. */
export const safeText = (text: string): string => text.toWellFormed().replaceAll(UNSAFE, '\ufffd')

/** Lines for people. After a line end within one comes an indent, so no foreign text begins a line like ours. */
export const safeLines = (lines: readonly string[]): string =>
  lines.map((line) => `${indented(safeText(line))}\n`).join('')

function indented(text: string): string {
  const [first = '', ...rest] = text.split(/[\r\n]+/)
  const more = rest.map((part) => part.trim()).filter((part) => part !== '')
  return [more.length > 0 ? first.trimEnd() : first, ...more].join('\n    ')
}

/** Text for one line or cell: what is unsafe, line ends and tabs become spaces. */
export function safeLine(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(UNSAFE, ' ')
    .replaceAll(/[\t\r\n]/g, ' ')
}

/** JSON whose strings are the same when it is read: what is unsafe is written as an escape. */
export const safeJson = (value: unknown, indent?: number): string => escapedJson(JSON.stringify(value, null, indent))

/** The same for a text that is JSON already. */
export const escapedJson = (json: string): string =>
  json.replaceAll(UNSAFE, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)
