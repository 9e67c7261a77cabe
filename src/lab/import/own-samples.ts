import { crc32, deflateSync } from 'node:zlib'
import { wavFile } from '../../formats/wav-file.js'

/** Side of the sample picture, px. */
const SIDE = 384
const SAMPLE_RATE = 16_000
const SECONDS = 5

/** A picture that we drew: a sky, a sun, hills and a little noise; PNG. */
export function samplePicture(): Buffer {
  const rows = Buffer.alloc(SIDE * (1 + SIDE * 3))
  let noise = 1
  for (let y = 0; y < SIDE; y++) {
    for (let x = 0; x < SIDE; x++) {
      noise = (Math.imul(noise, 1664525) + 1013904223) >>> 0
      const color = colorAt(x / SIDE, y / SIDE)
      const at = y * (1 + SIDE * 3) + 1 + x * 3
      for (const [channel, value] of color.entries()) rows[at + channel] = value + (noise >>> 29)
    }
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(SIDE, 0)
  header.writeUInt32BE(SIDE, 4)
  // 8 bits a channel, RGB.
  header.set([8, 2], 8)
  const chunks = [chunk('IHDR', header), chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0))]
  return Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), ...chunks])
}

function colorAt(x: number, y: number): readonly [number, number, number] {
  if (Math.hypot(x - 0.7, y - 0.25) < 0.09) return [244, 214, 120]
  const near = 0.78 + 0.06 * Math.sin(9 * x)
  if (y > near) return [52, 96 - 40 * (y - near), 48]
  const far = 0.6 + 0.1 * Math.sin(4 * x + 1)
  if (y > far) return [92, 128, 118 + 60 * (y - far)]
  return [96 + 90 * y, 140 + 80 * y, 190 + 40 * y]
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data])
  const frame = Buffer.alloc(8 + body.length)
  frame.writeUInt32BE(data.length, 0)
  body.copy(frame, 4)
  frame.writeUInt32BE(crc32(body), 4 + body.length)
  return frame
}

/** First and second resonance of five vowels, Hz. */
const VOWELS: readonly (readonly [number, number])[] = [
  [730, 1090],
  [530, 1840],
  [270, 2290],
  [570, 840],
  [300, 870],
]

/** A voice that we computed: vowels with pauses between them, pulses at a falling pitch through two resonances; WAV. */
export function sampleVoice(): Buffer {
  const samples = new Float64Array(SAMPLE_RATE * SECONDS)
  const syllable = Math.round(0.28 * SAMPLE_RATE)
  let phase = 0
  let noise = 1
  const memory = [0, 0, 0, 0]
  for (let at = 0; at < samples.length; at++) {
    const inSyllable = (at % syllable) / syllable
    const [first, second] = VOWELS[Math.floor(at / syllable) % VOWELS.length] as readonly [number, number]
    const pitch = 140 - 30 * (at / samples.length) + 12 * Math.sin(at / 2600)
    phase += pitch / SAMPLE_RATE
    noise = (Math.imul(noise, 1664525) + 1013904223) >>> 0
    const breath = (noise / 2 ** 32 - 0.5) * 0.06
    const pulse = phase >= 1 ? 1 : 0
    if (pulse) phase -= 1
    const loudness = Math.sin(Math.PI * Math.min(1, inSyllable / 0.8)) ** 2
    const source = (pulse + breath) * (inSyllable < 0.8 ? loudness : 0)
    samples[at] = resonate(source, first, 90, memory, 0) + 0.7 * resonate(source, second, 120, memory, 2)
  }
  return wav(samples)
}

/** A two-pole filter; its last two outputs lie in `memory` from `slot` on. */
function resonate(source: number, frequency: number, bandwidth: number, memory: number[], slot: number): number {
  const radius = Math.exp((-Math.PI * bandwidth) / SAMPLE_RATE)
  const [last, before] = [memory[slot] as number, memory[slot + 1] as number]
  const value = source + 2 * radius * Math.cos((2 * Math.PI * frequency) / SAMPLE_RATE) * last - radius ** 2 * before
  memory[slot + 1] = last
  memory[slot] = value
  return value
}

function wav(samples: Float64Array): Buffer {
  const peak = samples.reduce((highest, value) => Math.max(highest, Math.abs(value)), 1e-9)
  return wavFile(
    Int16Array.from(samples, (value) => Math.round((value / peak) * 20_000)),
    SAMPLE_RATE,
  )
}

/** Prose that we wrote. */
export const SAMPLE_TEXT = `The ferry left a quarter of an hour late, and nobody on the quay seemed to mind. A man in a
yellow coat was selling smoked fish from the back of a van, wrapping each piece in newspaper that was two days old. My
sister bought three of them, because she could not decide, and then gave one to a dog that had followed us from the
station. By the time the ropes were cast off the wind had turned. We stood at the rail with our collars up and watched
the houses grow small. She said that the island had looked larger on the map. I said that most things do, and that the
map had cost four euros, so we should use it at least once more before we lost it, as we had lost the one of last year
somewhere between the lighthouse and the bakery that sells only one kind of bread.
`
