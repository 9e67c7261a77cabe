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

/**
 * Text from outside, made safe to keep: lone surrogates and NUL are replaced, because PostgreSQL refuses both,
 * and the length is capped.
 * @param max longest result, UTF-16 units
 */
export function cleanText(text: string, max = 2000): string {
  const clean = text.toWellFormed().replaceAll('\u0000', '\uFFFD')
  return clean.length > max ? `${clean.slice(0, max - 1).toWellFormed()}…` : clean
}

/**
 * Text from outside as one clean line: control, format (bidirectional overrides, zero width) and line separator
 * characters become spaces, runs of white space one space, and the length is capped.
 * @param max longest result, UTF-16 units
 */
export function cleanLine(text: string, max = 300): string {
  const line = text
    .slice(0, MAX_LINE_SOURCE)
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim()
  return cleanText(line, max)
}

/**
 * The queue job id of an asset: the same for every process, and safe for BullMQ, which refuses `:` and all-digit ids.
 * Asset ids are the service's text and may hold anything, so they are hashed.
 */
export const jobIdOf = (assetId: string): string =>
  `asset-${createHash('sha256').update(assetId).digest('hex').slice(0, 40)}`

/** The first bytes of a digest, enough to compare by eye. */
export const shortDigest = (digest: string): string => digest.slice(0, 12)

/** Comma-separated items, trimmed, empty ones dropped. */
export const commaSeparated = (text: string): string[] =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')

/** A text as one word of a shell, whatever is in it. */
export const shellWord = (text: string): string =>
  /^[\w./:=,@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
