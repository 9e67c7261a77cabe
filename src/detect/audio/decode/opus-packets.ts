import { oggPageAt } from '../../../formats/ogg.js'
import { oggPages } from './ogg-pages.js'

/**
 * Packets of a lower bit rate hold no speech, bit/s. libopus writes nothing but the header of a packet below 2,400, and 8 to
 * 30 bytes each 20 ms (3,200 bit/s and more) for speech at 6 kbit/s, its lowest; of silence and hiss it writes 1 to 5 bytes.
 */
const SPEECH_BITS_PER_SECOND = 2400
/** Less of it is a click, seconds, as in `refuseFeatureless`. */
const LEAST_SECONDS = 0.1
/** Frame sizes by configuration, ms: RFC 6716, table 2. */
const SILK_MS = [10, 20, 40, 60]
const HYBRID_MS = [10, 20]
const CELT_MS = [2.5, 5, 10, 20]

/**
 * Whether Opus packets may hold speech, by their sizes alone: nothing is decoded.
 * @param bytes of an Ogg file, from the beginning of a page of sound on @param seconds that are looked at
 */
export async function mayHoldSpeech(bytes: AsyncIterable<Uint8Array>, seconds: number): Promise<boolean> {
  let heard = 0
  let dense = 0
  for await (const { bytes: size, seconds: lasts } of opusPackets(bytes)) {
    heard += lasts
    if (size * 8 >= SPEECH_BITS_PER_SECOND * lasts) dense += lasts
    if (dense >= LEAST_SECONDS) return true
    if (heard >= seconds) return false
  }
  // The decoder names what is wrong with a file without packets.
  return heard === 0
}

interface Packet {
  readonly bytes: number
  readonly seconds: number
}

/** Packets that begin on a page, with their sizes; one that goes on is counted with what lies on its first page. */
async function* opusPackets(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Packet, void, undefined> {
  for await (const run of oggPages(bytes)) {
    const pages = Buffer.from(run.buffer, run.byteOffset, run.byteLength)
    for (let at = 0, page = oggPageAt(pages); page !== null; at += page.bytes, page = oggPageAt(pages, at)) {
      let start = at + page.bytes - page.segments.reduce((sum, size) => sum + size, 0)
      let end = start
      for (const [index, size] of page.segments.entries()) {
        end += size
        if (size === 255 && index < page.segments.length - 1) continue
        yield { bytes: end - start, seconds: secondsOf(pages.subarray(start, end)) }
        start = end
      }
    }
  }
}

/** By the first byte of the packet, and the second where that holds the number of frames: RFC 6716, section 3. */
function secondsOf(packet: Buffer): number {
  const [toc = 0, second = 0] = packet
  const configuration = toc >> 3
  const ms =
    configuration < 12
      ? SILK_MS[configuration & 3]
      : configuration < 16
        ? HYBRID_MS[configuration & 1]
        : CELT_MS[configuration & 3]
  const code = toc & 3
  const frames = code === 0 ? 1 : code === 3 ? second & 0x3f : 2
  return ((ms as number) * frames) / 1000
}
