/** Samples of a frame; the most that the format allows. */
const FRAME_SAMPLES = 65_535
const CHANNELS = 8

/** A FLAC of silence in 8 channels at 48 kHz, each frame about 40 bytes long. @param frames each of 1.4 s, at most 2047 */
export function silentFlac(frames: number): Buffer {
  const info = Buffer.alloc(34)
  info.writeUInt16BE(FRAME_SAMPLES, 0)
  info.writeUInt16BE(FRAME_SAMPLES, 2)
  // 20 bits of rate, 3 of channels, 5 of sample size, 36 of length.
  info.writeBigUInt64BE(
    (48_000n << 44n) | (BigInt(CHANNELS - 1) << 41n) | (15n << 36n) | BigInt(frames * FRAME_SAMPLES),
    10,
  )
  const head = Buffer.from([...Buffer.from('fLaC'), 0x80, 0, 0, info.length])
  return Buffer.concat([head, info, ...Array.from({ length: frames }, (_, number) => silentFrame(number))])
}

/** Fixed block size, stated in 16 bits; 48 kHz; 8 channels; 16 bits; each channel one constant value. */
function silentFrame(number: number): Buffer {
  const coded = number < 0x80 ? [number] : [0xc0 | (number >> 6), 0x80 | (number & 0x3f)]
  const size = FRAME_SAMPLES - 1
  const head = Buffer.from([0xff, 0xf8, 0x7a, 0x78, ...coded, size >> 8, size & 0xff])
  const body = Buffer.concat([head, Buffer.from([crc(head, 8, 0x07)]), Buffer.alloc(3 * CHANNELS)])
  const check = crc(body, 16, 0x8005)
  return Buffer.concat([body, Buffer.from([check >> 8, check & 0xff])])
}

function crc(bytes: Buffer, width: 8 | 16, polynomial: number): number {
  let rest = 0
  for (const byte of bytes) {
    rest ^= byte << (width - 8)
    for (let bit = 0; bit < 8; bit++) rest = (rest << 1) ^ (rest >> (width - 1) === 1 ? polynomial | (1 << width) : 0)
  }
  return rest
}
