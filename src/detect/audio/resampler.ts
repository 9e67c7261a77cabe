/**
 * Zero crossings of the sinc on each side. With `BETA` the transition band is 9 % of the lower of the two Nyquist
 * frequencies wide (Kaiser's formula): at 16 kHz sound passes to 7.28 kHz and is gone at 8 kHz.
 */
const ZERO_CROSSINGS = 48
/** Shape of the Kaiser window; 7 keeps what folds back below -70 dB. */
const BETA = 7
/** Where the filter is 6 dB down, as a share of the lower Nyquist frequency; the stop band begins at 1. */
const CUTOFF = 0.955
/** Most filter values that are kept for the exact phases of a ratio such as 160:441; beyond it phases are interpolated. */
const MAX_EXACT_VALUES = 1_000_000
/** Phases of the interpolated filter; the error of going linearly between two of them is below -95 dB. */
const INTERPOLATED_PHASES = 256

/**
 * Mono sound at another rate, as many samples as it lasts: a polyphase windowed sinc whose delay is taken out, so that
 * output sample n lies at n / toRate seconds. Deterministic: doubles added in one order.
 * @param fromRate samples a second, a whole number @param toRate samples a second, a whole number
 */
export function resample(samples: Float32Array, fromRate: number, toRate: number): Float32Array {
  if (fromRate === toRate) return samples
  const divisor = greatestCommonDivisor(fromRate, toRate)
  const [up, down] = [toRate / divisor, fromRate / divisor]
  const cutoff = CUTOFF * Math.min(1, toRate / fromRate)
  const half = Math.ceil(ZERO_CROSSINGS / cutoff)
  const taps = 2 * half
  const phases = up * taps <= MAX_EXACT_VALUES ? up : INTERPOLATED_PHASES
  const filter = filterOf(phases, half, cutoff)
  // With silence at both ends, over which the filter can lie; as doubles, since floats take twice the time.
  const input = new Float64Array(samples.length + taps + 1)
  input.set(samples, half)
  const output = new Float32Array(Math.ceil((samples.length * up) / down))
  for (let index = 0; index < output.length; index++) {
    const position = index * down
    const base = Math.floor(position / up)
    const phase = ((position - base * up) * phases) / up
    const row = Math.floor(phase)
    const share = phase - row
    // Places as 32-bit integers, since V8 checks an index that may be a fraction at every step.
    const from = (base + 1) | 0
    const sum = dot(filter, (row * taps) | 0, input, from, taps)
    output[index] =
      share === 0 ? sum : sum * (1 - share) + dot(filter, ((row + 1) * taps) | 0, input, from, taps) * share
  }
  return output
}

/** Sum of products of so many values of each, from an index of each. */
function dot(a: Float64Array, fromA: number, b: Float64Array, fromB: number, count: number): number {
  // Four sums that do not wait for each other. Declared one by one: as an array, or by a function for the product, V8 takes
  // more than twice the time.
  let first = 0
  let second = 0
  let third = 0
  let fourth = 0
  let at = 0
  for (; at + 3 < count; at += 4) {
    first += (a[fromA + at] as number) * (b[fromB + at] as number)
    second += (a[fromA + at + 1] as number) * (b[fromB + at + 1] as number)
    third += (a[fromA + at + 2] as number) * (b[fromB + at + 2] as number)
    fourth += (a[fromA + at + 3] as number) * (b[fromB + at + 3] as number)
  }
  for (; at < count; at++) first += (a[fromA + at] as number) * (b[fromB + at] as number)
  return first + second + (third + fourth)
}

/** That of the last sound, since a recording is resampled in passages. */
let designed: { readonly plan: readonly number[]; readonly filter: Float64Array } | null = null

function filterOf(...plan: Parameters<typeof designFilter>): Float64Array {
  if (!designed?.plan.every((value, index) => value === plan[index])) designed = { plan, filter: designFilter(...plan) }
  return designed.filter
}

/**
 * One row of 2 * half values a phase, and one more row for interpolation; each row sums to 1, so that a constant stays
 * what it is at every phase.
 * @param cutoff share of the input's Nyquist frequency
 */
function designFilter(phases: number, half: number, cutoff: number): Float64Array {
  const taps = 2 * half
  const filter = new Float64Array((phases + 1) * taps)
  for (let phase = 0; phase <= phases; phase++) {
    const row = filter.subarray(phase * taps, (phase + 1) * taps)
    let sum = 0
    for (let tap = 0; tap < taps; tap++) {
      const distance = tap - half + 1 - phase / phases
      const value = sinc(distance * cutoff) * kaiserWindow(distance / half, BETA)
      row[tap] = value
      sum += value
    }
    for (let tap = 0; tap < taps; tap++) row[tap] = (row[tap] as number) / sum
  }
  return filter
}

const sinc = (x: number): number => (x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x))

const greatestCommonDivisor = (a: number, b: number): number => (b === 0 ? a : greatestCommonDivisor(b, a % b))

/** The Kaiser window at `x`, -1 to 1 from end to end; 0 outside. @param beta shape: larger damps the side lobes more */
export const kaiserWindow = (x: number, beta: number): number =>
  Math.abs(x) > 1 ? 0 : besselI0(beta * Math.sqrt(1 - x * x)) / besselI0(beta)

/** Modified Bessel function of the first kind, order 0, by its power series; terms below 1e-17 of the sum change no bit. */
function besselI0(x: number): number {
  const quarter = (x * x) / 4
  let term = 1
  let sum = 1
  for (let k = 1; term > sum * 1e-17; k++) {
    term *= quarter / (k * k)
    sum += term
  }
  return sum
}
