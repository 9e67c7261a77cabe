/** Added before the logarithm of mu-law, in 16-bit units. */
const MU_BIAS = 0x84
/** Loudest 16-bit sample that mu-law holds. */
const MU_CLIP = 32_635

/** The mu-law table of ITU-T G.711: what each of the 256 codes stands for, -1 to 1. */
export const MU_LAW = Float32Array.from({ length: 256 }, (_, code) => decodeMuLaw(code) / 32_768)
/** The A-law table of ITU-T G.711, -1 to 1; WAV files of format tag 6 are read by it. */
export const A_LAW = Float32Array.from({ length: 256 }, (_, code) => decodeALaw(code) / 32_768)

/** The mu-law code of a sample, -1 to 1; louder ones are cut. */
export function encodeMuLaw(sample: number): number {
  const magnitude = Math.min(MU_CLIP, Math.round(Math.abs(sample) * 32_768)) + MU_BIAS
  const exponent = 24 - Math.clz32(magnitude)
  const mantissa = (magnitude >> (exponent + 3)) & 0x0f
  return ~((sample < 0 ? 0x80 : 0) | (exponent << 4) | mantissa) & 0xff
}

function decodeMuLaw(code: number): number {
  const bits = ~code & 0xff
  const magnitude = ((((bits & 0x0f) << 3) + MU_BIAS) << ((bits & 0x70) >> 4)) - MU_BIAS
  return (bits & 0x80) === 0 ? magnitude : -magnitude
}

function decodeALaw(code: number): number {
  const bits = code ^ 0x55
  const exponent = (bits & 0x70) >> 4
  const mantissa = ((bits & 0x0f) << 4) + 8
  const magnitude = exponent === 0 ? mantissa : (mantissa + 0x100) << (exponent - 1)
  return (bits & 0x80) === 0 ? -magnitude : magnitude
}
