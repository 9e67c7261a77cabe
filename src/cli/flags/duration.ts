import { AttestdError } from '../../core/errors.js'

const UNITS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const
/** A year: longer ones are slips of the pen. */
const LONGEST_MS = 366 * UNITS.d

/** A time of a flag, such as `90s`, `30m`, `12h` or `2d`, as milliseconds. @throws AttestdError setting-invalid */
export function durationFlag(flag: string, text: string): number {
  const [, count, unit] = /^(\d{1,9})([smhd])$/.exec(text) ?? []
  const ms = Number(count) * UNITS[unit as keyof typeof UNITS]
  if (ms > 0 && ms <= LONGEST_MS) return ms
  throw new AttestdError(
    'setting-invalid',
    `${flag} takes a time such as 90s, 30m or 12h, got ${JSON.stringify(text)}.`,
  )
}
