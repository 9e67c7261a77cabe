import { createHash } from 'node:crypto'
import type { z } from 'zod'

/** The value of a text from outside that should be JSON; undefined where it is none. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The value of a JSON text of this shape; null where it is another or no JSON. */
export const readJson = <Shape extends z.ZodType>(shape: Shape, text: string): z.output<Shape> | null =>
  shape.safeParse(jsonIn(text)).data ?? null

/** Characters of a text from outside that are looked at to make one line of it. */
const MAX_LINE_SOURCE = 20_000

/** Text from outside, at most `max` UTF-16 units, without lone surrogates and NUL, which PostgreSQL refuses. */
export function cleanText(text: string, max = 2000): string {
  const clean = text.toWellFormed().replaceAll('\u0000', '\uFFFD')
  return clean.length > max ? `${clean.slice(0, max - 1).toWellFormed()}…` : clean
}

/** Foreign text as one clean line: control, format and separator characters are spaces. @param max UTF-16 units */
export function cleanLine(text: string, max = 300): string {
  const line = text
    .slice(0, MAX_LINE_SOURCE)
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim()
  return cleanText(line, max)
}

/** The queue job id of an asset, the same everywhere: hashed, since BullMQ refuses `:` and all digits in an id. */
export const jobIdOf = (assetId: string): string =>
  `asset-${createHash('sha256').update(assetId).digest('hex').slice(0, 40)}`
