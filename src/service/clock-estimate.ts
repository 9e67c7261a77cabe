import type { Clock } from '../core/clock.js'

/** Drift of the monotonic clock, ppm: quartz has up to 50, virtual machines 100; doubled, since the bound must hold. */
const DRIFT_PPM = 200
/** A wall clock step or suspend beyond this, milliseconds, makes a sample doubtful. */
export const STEP_MS = 250
/** The service states whole milliseconds. */
const RESOLUTION_MS = 1

export interface ClockSample {
  /** Service time at `monotonicMs`, Unix milliseconds. */
  readonly serviceMs: number
  readonly monotonicMs: number
  /** Local wall clock minus monotonic clock when it was taken; a change of it is a clock step or a suspend. */
  readonly wallMinusMonotonic: number
  /** The truth lay within this distance of `serviceMs`, milliseconds. */
  readonly boundMs: number
}

/**
 * Reads service time once. It is taken to have been read halfway through the round trip, so half of that is the error
 * bound; a clock step or a suspend in between counts as error too.
 * @param granularityMs what is read may be older than service time by up to this
 */
export async function takeSample(
  clock: Clock,
  read: () => Promise<number>,
  granularityMs: number,
): Promise<ClockSample> {
  const before = { monotonic: clock.monotonic(), wall: clock.now() }
  const serverTime = await read()
  const after = { monotonic: clock.monotonic(), wall: clock.now() }
  const roundTripMs = after.monotonic - before.monotonic
  const step = Math.abs(after.wall - before.wall - roundTripMs)
  return {
    serviceMs: serverTime + granularityMs / 2,
    monotonicMs: before.monotonic + roundTripMs / 2,
    wallMinusMonotonic: after.wall - after.monotonic,
    boundMs: (roundTripMs + granularityMs) / 2 + RESOLUTION_MS + step,
  }
}

/** Service time at a moment of the monotonic clock, by this sample. */
export const serviceTimeAt = (sample: ClockSample, monotonicMs: number): number =>
  sample.serviceMs + (monotonicMs - sample.monotonicMs)

/**
 * How far the wall clock has moved against the monotonic one since the sample, milliseconds. After a suspend (where
 * the monotonic clock stood still) the sample is wrong by as much; after a mere time correction it is not, but the
 * two look the same.
 */
export const stepSince = (sample: ClockSample, clock: Clock): number =>
  Math.abs(clock.now() - clock.monotonic() - sample.wallMinusMonotonic)

/** The error bound of a sample now: as taken, plus drift, plus what a step or suspend leaves in doubt; milliseconds. */
export function boundNow(sample: ClockSample, clock: Clock): number {
  const elapsedMs = Math.max(0, clock.monotonic() - sample.monotonicMs)
  return sample.boundMs + (elapsedMs * DRIFT_PPM) / 1e6 + stepSince(sample, clock)
}

/** Of the old estimate and a new sample: the tighter one where they agree and no step came between, else the new one. */
export function betterSample(old: ClockSample | null, fresh: ClockSample, clock: Clock): ClockSample {
  if (!old || stepSince(old, clock) > STEP_MS) return fresh
  const apart = Math.abs(serviceTimeAt(old, fresh.monotonicMs) - fresh.serviceMs)
  const oldBound = boundNow(old, clock)
  const agree = apart <= oldBound + fresh.boundMs
  return agree && oldBound < fresh.boundMs ? old : fresh
}
