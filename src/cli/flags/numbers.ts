import { AttestdError } from '../../core/errors.js'

const UNITS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const
/** A year: longer ones are typing errors. */
const LONGEST_MS = 366 * UNITS.d

/** A whole number in digits alone, both bounds included. @throws AttestdError argument-invalid */
export function wholeNumberFlag(flag: string, text: string, { from = 0, to }: { from?: number; to?: number } = {}) {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
  if (value >= from && value <= (to ?? value)) return value
  const bounds = `${from > 0 || to !== undefined ? ` from ${from}` : ''}${to === undefined ? '' : ` to ${to}`}`
  throw refused(flag, `a whole number${bounds}`, text)
}

/** A number of a flag within limits; null where it was not given. @throws AttestdError argument-invalid */
export function numberFlag(flag: string, text: string | undefined, min: number, max: number): number | null {
  if (text === undefined) return null
  const value = Number(text)
  if (text.trim() !== '' && value >= min && value <= max) return value
  throw refused(flag, `a number from ${min} to ${max}`, text)
}

/** A time of a flag, such as `90s`, `30m`, `12h` or `2d`, as milliseconds. @throws AttestdError argument-invalid */
export function durationFlag(flag: string, text: string): number {
  const [, count, unit] = /^(\d{1,9})([smhd])$/.exec(text) ?? []
  const ms = Number(count) * UNITS[unit as keyof typeof UNITS]
  if (ms > 0 && ms <= LONGEST_MS) return ms
  throw refused(flag, 'a time such as 90s, 30m or 12h', text)
}

const refused = (flag: string, takes: string, text: string) =>
  new AttestdError('argument-invalid', `${flag} takes ${takes}, got ${JSON.stringify(text)}.`)
