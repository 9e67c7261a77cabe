const bits = new Uint32Array(1)
const float = new Float32Array(bits.buffer)

/** Floats as the bits of IEEE 754 halves, rounded to the nearest; too large ones become infinite. */
export function toHalves(values: Float32Array): Uint16Array {
  return Uint16Array.from(values, (value) => {
    float[0] = value
    const [single] = bits as unknown as [number]
    const sign = (single >>> 16) & 0x8000
    const exponent = (single >>> 23) & 0xff
    const fraction = (single >>> 12) & 0x7ff
    if (Number.isNaN(value)) return 0x7e00
    if (exponent > 142) return sign | 0x7c00
    if (exponent < 102) return sign
    // Below 2^-14 a half has no leading one of its own.
    const shift = 113 - exponent
    if (shift > 0) return sign | ((((fraction | 0x800) >>> shift) + 1) >>> 1)
    return (sign | ((exponent - 112) << 10) | (fraction >>> 1)) + (fraction & 1)
  })
}

export function fromHalves(halves: Uint16Array): Float32Array {
  return Float32Array.from(halves, (half) => {
    const exponent = (half >>> 10) & 0x1f
    const fraction = half & 0x3ff
    const sign = half & 0x8000 ? -1 : 1
    if (exponent === 0) return sign * fraction * 2 ** -24
    if (exponent === 31) return fraction === 0 ? sign * Infinity : Number.NaN
    return sign * (1 + fraction / 1024) * 2 ** (exponent - 15)
  })
}
