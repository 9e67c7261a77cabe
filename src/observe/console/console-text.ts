const SECOND = 1000

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
