import { createReadStream } from 'node:fs'

/** Bit rates, kbit/s, by layer and index: ISO/IEC 11172-3 table 3-B.1 (MPEG 1) and 13818-3 (MPEG 2 and 2.5). */
const BITRATES_1: Record<number, readonly number[]> = {
  1: [0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
  2: [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
  3: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
}
const BITRATES_2: Record<number, readonly number[]> = {
  1: [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
  2: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
  3: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
}
/** Sample rates of MPEG 1, Hz; half of them in MPEG 2, a quarter in 2.5. */
const RATES_1 = [44_100, 48_000, 32_000]
const HEADER_BYTES = 4
/** The longest frame (layer II, 384 kbit/s at 32 kHz) and the header of the next. */
const LOOKAHEAD_BYTES = 1728 + HEADER_BYTES

/** Of a file whose frames last less than what is asked for, so many bytes are looked at: junk is walked over byte by byte. */
const MOST_WALKED_BYTES = 16 * 1024 ** 2

interface Frame {
  readonly isMono: boolean
  /** Samples a second. */
  readonly rate: number
  /** That it decodes to, a channel. */
  readonly samples: number
  readonly bytes: number
}

/**
 * Picks the frames of MPEG audio (layers I to III) out of a file. The decoder gives up at a kilobyte of anything else;
 * a player goes on behind tags, pictures and whatever was appended.
 */
export class Mp3Frames {
  /** Whether all frames so far are of one channel. */
  isMono = true
  /** Length of all frames so far. */
  seconds = 0
  #inStep = false
  #rate = 0

  /** Runs of whole frames, in order, each of one sample rate: of several at once the decoder states the last for all. */
  async *of(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
    let rest: Buffer = Buffer.alloc(0)
    for await (const chunk of chunks) {
      const bytes = Buffer.concat([rest, chunk])
      const { runs, end } = this.#take(bytes, bytes.length - LOOKAHEAD_BYTES)
      for (const run of runs) yield Buffer.concat(run)
      rest = bytes.subarray(end)
    }
    for (const run of this.#take(rest, rest.length).runs) yield Buffer.concat(run)
  }

  /** Whole frames that begin before `limit`, by their rates, and where the next one may begin. */
  #take(bytes: Buffer, limit: number): { runs: Buffer[][]; end: number } {
    const runs: Buffer[][] = []
    let at = 0
    while (at < limit) {
      const frame = frameAt(bytes, at)
      const next = at + (frame?.bytes ?? 1)
      // Out of step, and where the rate changes, bytes that look like a header are one only where another like it follows.
      const isFrame =
        frame !== null &&
        next <= bytes.length &&
        ((this.#inStep && frame.rate === this.#rate) || frameAt(bytes, next)?.rate === frame.rate)
      if (isFrame) {
        this.isMono &&= frame.isMono
        this.seconds += frame.samples / frame.rate
        if (runs.length === 0 || frame.rate !== this.#rate) runs.push([])
        this.#rate = frame.rate
        runs.at(-1)?.push(bytes.subarray(at, next))
      }
      this.#inStep = isFrame
      at = isFrame ? next : at + 1
    }
    return { runs, end: at }
  }
}

/** Length of MPEG audio: by its frames up to `most` seconds, else estimated by those and the bytes behind them. */
export async function mp3Seconds(file: string, from: number, to: number, most: number): Promise<number> {
  const frames = new Mp3Frames()
  const source = createReadStream(file, { start: from })
  // Of whole frames; what is held back is a frame or two.
  for await (const _ of frames.of(source))
    if (frames.seconds > most || source.bytesRead > MOST_WALKED_BYTES)
      return (frames.seconds * (to - from)) / source.bytesRead
  return frames.seconds
}

function frameAt(bytes: Buffer, at: number): Frame | null {
  if (at + HEADER_BYTES > bytes.length || bytes[at] !== 0xff) return null
  const word = bytes.readUInt32BE(at)
  const version = (word >>> 19) & 3
  const layer = 4 - ((word >>> 17) & 3)
  const rateIndex = (word >>> 10) & 3
  if (word >>> 21 !== 0x7ff || version === 1 || layer === 4 || rateIndex === 3) return null
  const kilobits = (version === 3 ? BITRATES_1 : BITRATES_2)[layer]?.[(word >>> 12) & 15] ?? 0
  if (kilobits === 0) return null
  const rate = (RATES_1[rateIndex] as number) / (version === 3 ? 1 : version === 2 ? 2 : 4)
  const padding = (word >>> 9) & 1
  const isMono = ((word >>> 6) & 3) === 3
  const slots = (perSecond: number) => Math.floor((perSecond * kilobits) / rate) + padding
  if (layer === 1) return { isMono, rate, samples: 384, bytes: slots(12_000) * 4 }
  const samples = layer === 3 && version !== 3 ? 576 : 1152
  return { isMono, rate, samples, bytes: slots(samples * 125) }
}
