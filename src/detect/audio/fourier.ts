/** Power spectra of real frames, by the radix-2 fast Fourier transform (Cooley and Tukey, 1965) of half their size. */
export class PowerSpectrum {
  /** Even samples as real parts and odd ones as imaginary parts, in turn; the one transform serves both. */
  readonly #values: Float64Array
  readonly #cosine: Float64Array
  readonly #sine: Float64Array
  readonly #places: Uint32Array
  readonly #powers: Float64Array
  /** The first of `powers`, of so many bins as were last asked for. */
  #asked: Float64Array

  /**
   * @param size a power of two, at least 2; shorter frames are filled up with zeros
   * @param window what each sample of a frame is multiplied by; as long as a frame
   */
  constructor(
    readonly size: number,
    readonly window: Float64Array,
  ) {
    const bits = Math.log2(size / 2)
    this.#values = new Float64Array(size)
    this.#cosine = Float64Array.from({ length: size / 2 + 1 }, (_, k) => Math.cos((2 * Math.PI * k) / size))
    this.#sine = Float64Array.from({ length: size / 2 + 1 }, (_, k) => -Math.sin((2 * Math.PI * k) / size))
    this.#places = Uint32Array.from({ length: size }, (_, index) => 2 * reverseBits(index >> 1, bits) + (index & 1))
    this.#powers = new Float64Array(size / 2 + 1)
    this.#asked = this.#powers
  }

  /**
   * |X_k|^2 of the bins `first` to `last`, both included, up to size / 2. The array is overwritten by the next call.
   * @param start index of the frame's first sample @param mean is subtracted from each sample
   */
  of(samples: Float32Array, start: number, first: number, last: number, mean = 0): Float64Array {
    const values = this.#values
    const places = this.#places
    const { window, size } = this
    values.fill(0)
    for (let n = 0; n < window.length; n++)
      values[places[n] as number] = ((samples[start + n] as number) - mean) * (window[n] as number)
    const isOdd = Math.log2(size) % 2 === 0
    if (isOdd) addAndSubtract(values)
    for (let span = isOdd ? 4 : 2; span < size; span *= 4) twoStages(values, this.#cosine, this.#sine, span)
    for (let bin = first; bin <= last; bin++)
      this.#powers[bin - first] = powerOf(values, bin, this.#cosine[bin] as number, this.#sine[bin] as number)
    // The same array for the same bins, since one for each frame of a recording is a thousand for each ten seconds.
    if (this.#asked.length !== last - first + 1) this.#asked = this.#powers.subarray(0, last - first + 1)
    return this.#asked
  }
}

/** The first stage by itself, where their number is odd: it turns nothing. */
function addAndSubtract(values: Float64Array): void {
  for (let upper = 0; upper < values.length; upper += 4) {
    const real = values[upper + 2] as number
    const imaginary = values[upper + 3] as number
    values[upper + 2] = (values[upper] as number) - real
    values[upper + 3] = (values[upper + 1] as number) - imaginary
    values[upper] = (values[upper] as number) + real
    values[upper + 1] = (values[upper + 1] as number) + imaginary
  }
}

/**
 * Two stages of the transform: each value is read and written once for both.
 * @param span distance of the two values that meet in the first, in places; in the second it is twice that
 */
function twoStages(values: Float64Array, cosine: Float64Array, sine: Float64Array, span: number): void {
  const size = values.length
  // As a 32-bit integer, since V8 checks an index that may be a fraction at every step.
  const step = (size / span / 4) | 0
  for (let offset = 0; offset < span; offset += 2) {
    const turn = offset * step
    const c = cosine[2 * turn] as number
    const s = sine[2 * turn] as number
    const lowC = cosine[turn] as number
    const lowS = sine[turn] as number
    const highC = cosine[turn + span * step] as number
    const highS = sine[turn + span * step] as number
    for (let first = offset; first < size; first += 4 * span) {
      const second = first + span
      const third = second + span
      const fourth = third + span
      let real = values[second] as number
      let imaginary = values[second + 1] as number
      let re = real * c - imaginary * s
      let im = real * s + imaginary * c
      const firstRe = (values[first] as number) + re
      const firstIm = (values[first + 1] as number) + im
      const secondRe = (values[first] as number) - re
      const secondIm = (values[first + 1] as number) - im
      real = values[fourth] as number
      imaginary = values[fourth + 1] as number
      re = real * c - imaginary * s
      im = real * s + imaginary * c
      const thirdRe = (values[third] as number) + re
      const thirdIm = (values[third + 1] as number) + im
      const fourthRe = (values[third] as number) - re
      const fourthIm = (values[third + 1] as number) - im
      re = thirdRe * lowC - thirdIm * lowS
      im = thirdRe * lowS + thirdIm * lowC
      values[first] = firstRe + re
      values[first + 1] = firstIm + im
      values[third] = firstRe - re
      values[third + 1] = firstIm - im
      re = fourthRe * highC - fourthIm * highS
      im = fourthRe * highS + fourthIm * highC
      values[second] = secondRe + re
      values[second + 1] = secondIm + im
      values[fourth] = secondRe - re
      values[fourth + 1] = secondIm - im
    }
  }
}

/** Parts the spectra of even and odd samples at a bin, and joins them to that of all. @param c and `s`: the turn of the bin */
function powerOf(values: Float64Array, bin: number, c: number, s: number): number {
  const size = values.length
  const at = (2 * bin) & (size - 1)
  const mirror = (size - at) & (size - 1)
  const evenRe = ((values[at] as number) + (values[mirror] as number)) / 2
  const evenIm = ((values[at + 1] as number) - (values[mirror + 1] as number)) / 2
  const oddRe = ((values[at + 1] as number) + (values[mirror + 1] as number)) / 2
  const oddIm = ((values[mirror] as number) - (values[at] as number)) / 2
  return (evenRe + oddRe * c - oddIm * s) ** 2 + (evenIm + oddRe * s + oddIm * c) ** 2
}

function reverseBits(value: number, bits: number): number {
  let reversed = 0
  for (let bit = 0; bit < bits; bit++) reversed |= ((value >> bit) & 1) << (bits - 1 - bit)
  return reversed
}

/** The Hann window, periodic. */
export const hannWindow = (length: number): Float64Array =>
  Float64Array.from({ length }, (_, n) => 0.5 - 0.5 * Math.cos((2 * Math.PI * n) / length))
