import { encodeMuLaw, MU_LAW } from './decode/companding.js'
import { resample } from './resampler.js'

/** What the stability probe does to a sound; none of it changes who speaks or whether it was made by a machine. */
export const VARIANTS = [
  'upper tenth of the band cut',
  'half as loud, in 8-bit mu-law',
  'upper quarter of the band cut',
] as const
type VariantName = (typeof VARIANTS)[number]

/** The same sound re-encoded, as many samples as before. @param rate samples a second */
export function varied(samples: Float32Array, rate: number, variant: VariantName): Float32Array {
  switch (variant) {
    case 'upper tenth of the band cut':
      return through(samples, rate, Math.round(rate * 0.9))
    case 'upper quarter of the band cut':
      return through(samples, rate, Math.round(rate * 0.75))
    case 'half as loud, in 8-bit mu-law':
      return samples.map((sample) => MU_LAW[encodeMuLaw(sample / 2)] as number)
  }
}

function through(samples: Float32Array, rate: number, lower: number): Float32Array {
  const back = resample(resample(samples, rate, lower), lower, rate)
  const same = new Float32Array(samples.length)
  same.set(back.subarray(0, samples.length))
  return same
}
