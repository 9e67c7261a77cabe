import { kaiserWindow } from './kaiser.js'

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
 * Resamples mono sound from one rate to another, block by block: a polyphase windowed sinc whose delay is taken out, so
 * that output sample n lies at n / toRate seconds. Deterministic: doubles added in one order.
 */
export class Resampler {
  readonly #up: number
  readonly #down: number
  readonly #half: number
  readonly #phases: number
  readonly #filter: Float64Array
  /** Input still needed, as doubles, since floats take twice the time; its first sample is number `start` of the whole input. */
  #held: Float64Array
  #start: number
  #received = 0
  #given = 0

  /** @param fromRate samples a second, a whole number @param toRate samples a second, a whole number */
  constructor(fromRate: number, toRate: number) {
    const divisor = greatestCommonDivisor(fromRate, toRate)
    this.#up = toRate / divisor
    this.#down = fromRate / divisor
    const scale = Math.min(1, toRate / fromRate)
    this.#half = Math.ceil(ZERO_CROSSINGS / (CUTOFF * scale))
    const taps = 2 * this.#half
    this.#phases = this.#up * taps <= MAX_EXACT_VALUES ? this.#up : INTERPOLATED_PHASES
    this.#filter = this.#up === this.#down ? new Float64Array(0) : filterOf(this.#phases, this.#half, CUTOFF * scale)
    // Silence before the first sample, so that the filter can lie over the start.
    this.#held = new Float64Array(this.#half)
    this.#start = -this.#half
  }

  /** Takes the next samples and gives those that can be computed now. */
  push(samples: Float32Array): Float32Array {
    if (this.#up === this.#down) return samples
    this.#received += samples.length
    this.#hold(samples)
    return this.#give(this.#received - this.#half)
  }

  /** Gives the rest, as many samples as the whole input lasts. */
  flush(): Float32Array {
    if (this.#up === this.#down) return new Float32Array(0)
    this.#hold(new Float32Array(this.#half + 1))
    return this.#give(this.#received)
  }

  #hold(samples: Float32Array): void {
    const joined = new Float64Array(this.#held.length + samples.length)
    joined.set(this.#held)
    joined.set(samples, this.#held.length)
    this.#held = joined
  }

  /** All outputs that lie before input sample `end`. */
  #give(end: number): Float32Array {
    const last = Math.max(this.#given, Math.ceil((end * this.#up) / this.#down))
    const output = new Float32Array(last - this.#given)
    for (let index = 0; index < output.length; index++) output[index] = this.#at(this.#given + index)
    this.#given = last
    const needed = Math.floor((last * this.#down) / this.#up) - this.#half + 1
    if (needed > this.#start) {
      this.#held = this.#held.slice(needed - this.#start)
      this.#start = needed
    }
    return output
  }

  #at(output: number): number {
    const position = output * this.#down
    const base = Math.floor(position / this.#up)
    const phase = ((position - base * this.#up) * this.#phases) / this.#up
    const row = Math.floor(phase)
    const share = phase - row
    const from = base - this.#half + 1 - this.#start
    const sum = this.#dot(row, from)
    return share === 0 ? sum : sum * (1 - share) + this.#dot(row + 1, from) * share
  }

  #dot(row: number, from: number): number {
    const taps = 2 * this.#half
    // As 32-bit integers, since V8 checks an index that may be a fraction at every step.
    return dot(this.#filter, (row * taps) | 0, this.#held, from | 0, taps)
  }
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

/** Whole sound at another rate. */
export function resample(samples: Float32Array, fromRate: number, toRate: number): Float32Array {
  const resampler = new Resampler(fromRate, toRate)
  const head = resampler.push(samples)
  const tail = resampler.flush()
  if (tail.length === 0) return head
  const whole = new Float32Array(head.length + tail.length)
  whole.set(head)
  whole.set(tail, head.length)
  return whole
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
