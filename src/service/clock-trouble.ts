import type { Reason } from '../core/reasons.js'
import type { ClockState } from './service-clock.js'

/**
 * What is wrong with the clocks: service time is not known well enough, or the local clock is surely further from it
 * than the window. Readiness, console and doctor judge by this one rule.
 * @param windowMs how far a timestamp may be from service time, ms
 */
export function clockTrouble(
  { errorBoundMs, offsetMs, trusted }: ClockState,
  windowMs: number,
): Extract<Reason, 'clock-untrusted' | 'clock-off'> | null {
  if (offsetMs === null || !trusted) return 'clock-untrusted'
  return Math.abs(offsetMs) - (errorBoundMs ?? 0) > windowMs ? 'clock-off' : null
}
