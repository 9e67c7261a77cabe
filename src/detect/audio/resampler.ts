import { kaiserWindow } from './kaiser.js'
import { FREE_PLACE, pairedSums, sumsWorkspace } from './paired-sums.js'

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

/** Samples that are weighed at once, for those of a block to stay in the cache of the processor. */
const SLICE = 8192

/** What a filter is designed from. */
interface FilterPlan {
  readonly phases: number
  /** Half of the values of a phase. */
  readonly half: number
  /** Share of the input's Nyquist frequency. */
  readonly cutoff: number
}

/**
 * Resamples mono sound from one rate to another, block by block: a polyphase windowed sinc whose delay is taken out, so
 * that output sample n lies at n / toRate seconds. Deterministic: doubles added in one order.
 */
export class Resampler {
  readonly #up: number
  readonly #down: number
  readonly #plan: FilterPlan
  /** Input still needed; its first sample is number `start` of the whole input. */
  #held: Float64Array
  #start: number
  #received = 0
  #given = 0

  /** @param fromRate samples a second, a whole number @param toRate samples a second, a whole number */
  constructor(fromRate: number, toRate: number) {
    const divisor = greatestCommonDivisor(fromRate, toRate)
    this.#up = toRate / divisor
    this.#down = fromRate / divisor
    const cutoff = CUTOFF * Math.min(1, toRate / fromRate)
    const half = Math.ceil(ZERO_CROSSINGS / cutoff)
    const phases = this.#up * 2 * half <= MAX_EXACT_VALUES ? this.#up : INTERPOLATED_PHASES
    this.#plan = { phases, half, cutoff }
    // Silence before the first sample, so that the filter can lie over the start.
    this.#held = new Float64Array(half)
    this.#start = -half
  }

  /** Takes the next samples and gives those that can be computed now. */
  push(samples: Float32Array): Float32Array {
    if (this.#up === this.#down) return samples
    this.#received += samples.length
    return this.#give(samples, this.#received - this.#plan.half)
  }

  /** Gives the rest, as many samples as the whole input lasts. */
  flush(): Float32Array {
    if (this.#up === this.#down) return new Float32Array(0)
    return this.#give(new Float32Array(this.#plan.half + 1), this.#received)
  }

  /** All outputs that lie before input sample `end`. @param samples the next of the input */
  #give(samples: Float32Array, end: number): Float32Array {
    const output = new Float32Array(Math.max(0, this.#before(end) - this.#given))
    const first = this.#given
    const last = first + output.length
    const from = placeFilter(this.#plan)
    // Of a block at most the values of a phase are held for the next.
    const room = sumsWorkspace(from + 4 * this.#plan.half + SLICE)
    room.set(this.#held, from)
    let length = this.#held.length
    for (let at = 0; at < samples.length; at += SLICE) {
      const slice = samples.subarray(at, at + SLICE)
      room.set(slice, from + length)
      length += slice.length
      const until = Math.min(last, this.#before(this.#start + length - this.#plan.half))
      this.#weigh(output, first, until, from - this.#start)
      const needed = Math.floor((this.#given * this.#down) / this.#up) - this.#plan.half + 1
      const over = Math.max(0, needed - this.#start)
      room.copyWithin(from, from + over, from + length)
      length -= over
      this.#start += over
    }
    this.#held = room.slice(from, from + length)
    return output
  }

  /** How many outputs lie before an input sample. */
  #before(sample: number): number {
    return Math.ceil((sample * this.#up) / this.#down)
  }

  /**
   * Weighs the input for the next outputs up to number `until`.
   * @param output gets them, the first of `#give` at 0 @param first number of that one @param origin place of input sample 0
   */
  #weigh(output: Float32Array, first: number, until: number, origin: number): void {
    const { phases, half } = this.#plan
    const room = sumsWorkspace(0)
    const taps = 2 * half
    const [up, down] = [this.#up, this.#down]
    while (this.#given < until) {
      const index = this.#given - first
      const position = this.#given * down
      const base = Math.floor(position / up)
      const phase = ((position - base * up) * phases) / up
      const row = Math.floor(phase)
      const weights = FREE_PLACE + row * taps
      const values = origin + base - half + 1
      if (phases === up) {
        const next = Math.min(this.#given + 1, until - 1) * down
        const nextBase = Math.floor(next / up)
        const nextWeights = FREE_PLACE + (next - nextBase * up) * taps
        pairedSums(weights, values, nextWeights, origin + nextBase - half + 1, taps)
        output[index] = room[0] as number
        if (this.#given + 1 < until) output[index + 1] = room[1] as number
        this.#given = Math.min(until, this.#given + 2)
      } else {
        const share = phase - row
        pairedSums(weights, values, weights + taps, values, taps)
        output[index] =
          share === 0 ? (room[0] as number) : (room[0] as number) * (1 - share) + (room[1] as number) * share
        this.#given += 1
      }
    }
  }
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

/** The filter that lies in the workspace: that of the last sound, since a recording is resampled in passages. */
let placed: FilterPlan | null = null

/** Designs a filter into the workspace, unless it lies there. @returns the first place behind it */
function placeFilter(plan: FilterPlan): number {
  const { phases, half, cutoff } = plan
  const length = (phases + 1) * 2 * half
  if (placed?.phases !== phases || placed.half !== half || placed.cutoff !== cutoff) {
    designFilter(sumsWorkspace(FREE_PLACE + length).subarray(FREE_PLACE, FREE_PLACE + length), plan)
    placed = plan
  }
  return FREE_PLACE + length
}

/**
 * One row of 2 * half values a phase, and one more row for interpolation; each row sums to 1, so that a constant stays
 * what it is at every phase.
 */
function designFilter(filter: Float64Array, { phases, half, cutoff }: FilterPlan): void {
  const taps = 2 * half
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
}

const sinc = (x: number): number => (x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x))

const greatestCommonDivisor = (a: number, b: number): number => (b === 0 ? a : greatestCommonDivisor(b, a % b))
