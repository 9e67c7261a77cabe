/** Numbers below stand for a duration or nothing, above for no time that a service means: 1973, and 5138 in seconds. */
const SECONDS = { from: 1e8, below: 1e11 }
const MILLISECONDS = { from: 1e11, below: 1e14 }

/**
 * A moment whose unit and format the specification does not show, Unix milliseconds: a number or a decimal or 0x text
 * of seconds or milliseconds, distinguished by size, or an ISO 8601 text, in UTC where it names no zone. Null for anything else.
 */
export function unixMsOf(value: unknown): number | null {
  const number = numberOf(value)
  if (number !== null) {
    if (number >= SECONDS.from && number < SECONDS.below) return number * 1000
    return number >= MILLISECONDS.from && number < MILLISECONDS.below ? number : null
  }
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\d([T ]|$)/.test(value)) return null
  const isZoned = /^\S{10}$|(?:Z|[+-]\d\d:?\d\d|GMT|UTC)$/i.test(value)
  const parsed = Date.parse(isZoned ? value : `${value}Z`)
  return Number.isNaN(parsed) ? null : parsed
}

/** A number, or the decimal or 0x text of one that is exact; null for anything else. */
export function numberOf(value: unknown): number | null {
  const isText = typeof value === 'string' && /^(\d{1,15}(\.\d{1,9})?|0x[0-9a-fA-F]{1,13})$/.test(value)
  if (!isText && typeof value !== 'number') return null
  const number = Number(value)
  return Number.isFinite(number) ? number : null
}
