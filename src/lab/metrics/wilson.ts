import type { Interval } from './bootstrap.js'

/** 97.5th percentile of the normal distribution. */
const Z = 1.959964

/**
 * Wilson's 95 % interval of a share that was counted (1927): it keeps its meaning where few were counted, or none, which
 * resampling does not. Null where there were no tries.
 */
export function wilsonInterval(hits: number, tries: number): Interval | null {
  if (tries === 0) return null
  const share = hits / tries
  const scale = 1 + Z ** 2 / tries
  const center = (share + Z ** 2 / (2 * tries)) / scale
  const half = (Z / scale) * Math.sqrt((share * (1 - share)) / tries + Z ** 2 / (4 * tries ** 2))
  const end = (value: number) => Number(Math.min(1, Math.max(0, value)).toFixed(6))
  return { low: end(center - half), high: end(center + half) }
}
