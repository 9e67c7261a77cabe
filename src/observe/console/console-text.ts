const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** A time span for people: `0.4 s`, `12 s`, `3 min 20 s`, `5 h 2 min`, `4 d 1 h`. Negative spans read as 0. */
export function duration(ms: number): string {
  const span = Math.max(0, ms)
  if (span < 10 * SECOND) return `${(span / SECOND).toFixed(1)} s`
  if (span < MINUTE) return `${Math.round(span / SECOND)} s`
  if (span < HOUR) return `${Math.floor(span / MINUTE)} min ${Math.floor((span % MINUTE) / SECOND)} s`
  if (span < DAY) return `${Math.floor(span / HOUR)} h ${Math.floor((span % HOUR) / MINUTE)} min`
  return `${Math.floor(span / DAY)} d ${Math.floor((span % DAY) / HOUR)} h`
}

/** A duration for people: whole milliseconds below 10 s, else seconds with one decimal; `?` where it is not known. */
export function milliseconds(ms: number | null): string {
  if (ms === null) return '?'
  return Math.abs(ms) < 10 * SECOND ? `${Math.round(ms)} ms` : `${(ms / SECOND).toFixed(1)} s`
}

/**
 * Wei as ether with at most six decimals, cut and never rounded up, so that a stake just below the minimum does not
 * read as the minimum.
 * @param wei decimal string
 */
export function etherOf(wei: string): string {
  if (!/^\d+$/.test(wei)) return '?'
  const digits = wei.padStart(19, '0')
  const fraction = digits.slice(-18, -12).replace(/0+$/, '')
  const whole = digits.slice(0, -18).replace(/^0+(?=\d)/, '')
  return fraction ? `${whole}.${fraction}` : whole
}

/** The first bytes of a digest, enough to compare by eye. */
export function shortDigest(digest: string): string {
  return digest.slice(0, 12)
}
