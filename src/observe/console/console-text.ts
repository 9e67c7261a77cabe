import { etherOf } from '../../core/ether.js'

const SECOND = 1000

/** A duration for people: whole milliseconds below 10 s, else seconds with one decimal; `?` where it is not known. */
export function milliseconds(ms: number | null): string {
  if (ms === null) return '?'
  return Math.abs(ms) < 10 * SECOND ? `${Math.round(ms)} ms` : `${(ms / SECOND).toFixed(1)} s`
}

/** Wei as ether with at most six decimals; `?` where it is not known. @param wei decimal string */
export const shortEther = (wei: string): string => (/^\d+$/.test(wei) ? etherOf(BigInt(wei), 6) : '?')

/** The first bytes of a digest, enough to compare by eye. */
export const shortDigest = (digest: string): string => digest.slice(0, 12)
