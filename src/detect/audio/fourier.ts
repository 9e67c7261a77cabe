/** Power spectra of real frames, by the radix-2 fast Fourier transform (Cooley and Tukey, 1965) of half their size. */
export class PowerSpectrum {
  /** Even samples as real parts and odd ones as imaginary parts, in turn; the one transform serves both. */
  readonly #values: Float64Array
  readonly #cosine: Float64Array
  readonly #sine: Float64Array
  readonly #places: Uint32Array
  readonly #powers: Float64Array

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
    for (let span = 2; span < size; span *= 2) butterflies(values, this.#cosine, this.#sine, span)
    for (let bin = first; bin <= last; bin++)
      this.#powers[bin - first] = powerOf(values, bin, this.#cosine[bin] as number, this.#sine[bin] as number)
    return this.#powers.subarray(0, last - first + 1)
  }
}

/** One stage of the transform. @param span distance of the two values that meet, in places */
function butterflies(values: Float64Array, cosine: Float64Array, sine: Float64Array, span: number): void {
  const size = values.length
  // As a 32-bit integer, since V8 checks an index that may be a fraction at every step.
  const step = (size / span / 2) | 0
  for (let offset = 0; offset < span; offset += 2) {
    const c = cosine[offset * step] as number
    const s = sine[offset * step] as number
    for (let upper = offset; upper < size; upper += 2 * span) {
      const lower = upper + span
      const real = values[lower] as number
      const imaginary = values[lower + 1] as number
      const re = real * c - imaginary * s
      const im = real * s + imaginary * c
      values[lower] = (values[upper] as number) - re
      values[lower + 1] = (values[upper + 1] as number) - im
      values[upper] = (values[upper] as number) + re
      values[upper + 1] = (values[upper + 1] as number) + im
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
