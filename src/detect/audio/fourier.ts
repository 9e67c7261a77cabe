/** Power spectra of real frames, by the radix-2 fast Fourier transform (Cooley and Tukey, 1965). */
export class PowerSpectrum {
  readonly #real: Float64Array
  readonly #imaginary: Float64Array
  readonly #cosine: Float64Array
  readonly #sine: Float64Array
  readonly #reversed: Uint32Array

  /** @param size a power of two; shorter frames are filled up with zeros */
  constructor(readonly size: number) {
    const bits = Math.log2(size)
    this.#real = new Float64Array(size)
    this.#imaginary = new Float64Array(size)
    this.#cosine = Float64Array.from({ length: size / 2 }, (_, k) => Math.cos((2 * Math.PI * k) / size))
    this.#sine = Float64Array.from({ length: size / 2 }, (_, k) => -Math.sin((2 * Math.PI * k) / size))
    this.#reversed = Uint32Array.from({ length: size }, (_, index) => reverseBits(index, bits))
  }

  /**
   * |X_k|^2 of the bins `first` to `last`, both included.
   * @param value of the sample at an index below `length`, weighted
   */
  of(value: (index: number) => number, length: number, first: number, last: number): Float64Array {
    const { size } = this
    const [real, imaginary, reversed] = [this.#real, this.#imaginary, this.#reversed]
    imaginary.fill(0)
    for (let index = 0; index < size; index++) real[reversed[index] as number] = index < length ? value(index) : 0
    for (let span = 1; span < size; span *= 2) this.#butterflies(span)
    const powers = new Float64Array(last - first + 1)
    for (let bin = first; bin <= last; bin++)
      powers[bin - first] = (real[bin] as number) ** 2 + (imaginary[bin] as number) ** 2
    return powers
  }

  #butterflies(span: number): void {
    const { size } = this
    const [real, imaginary, cosine, sine] = [this.#real, this.#imaginary, this.#cosine, this.#sine]
    const step = size / (2 * span)
    for (let start = 0; start < size; start += 2 * span) {
      for (let offset = 0; offset < span; offset++) {
        const upper = start + offset
        const lower = upper + span
        const c = cosine[offset * step] as number
        const s = sine[offset * step] as number
        const re = (real[lower] as number) * c - (imaginary[lower] as number) * s
        const im = (real[lower] as number) * s + (imaginary[lower] as number) * c
        real[lower] = (real[upper] as number) - re
        imaginary[lower] = (imaginary[upper] as number) - im
        real[upper] = (real[upper] as number) + re
        imaginary[upper] = (imaginary[upper] as number) + im
      }
    }
  }
}

function reverseBits(value: number, bits: number): number {
  let reversed = 0
  for (let bit = 0; bit < bits; bit++) reversed |= ((value >> bit) & 1) << (bits - 1 - bit)
  return reversed
}

/** The Hann window, periodic. */
export function hannWindow(length: number): Float64Array {
  return Float64Array.from({ length }, (_, n) => 0.5 - 0.5 * Math.cos((2 * Math.PI * n) / length))
}
