import { errorText } from '../../../core/errors.js'
import type { ReaderTools } from '../../contract/medium-reader.js'
import { corruptSound, type SoundBlock, type SoundBlocks } from './sound.js'

/** What each decoder gives for the bytes of one call. */
interface Decoded {
  readonly channelData: readonly Float32Array[]
  readonly samplesDecoded: number
  readonly sampleRate: number
  readonly errors: readonly { readonly message: string }[]
}

/** The shape that the decoders of the wasm-audio-decoders project have in common. */
interface WasmDecoder {
  readonly ready: Promise<unknown>
  decode(bytes: Uint8Array): Decoded | Promise<Decoded>
  /** Missing where all is decoded as it arrives. */
  flush?(): Promise<Decoded>
  free(): void
}

/** Tags behind the sound of a FLAC, bytes, where the last frame is whole; one that was cut off is as long as others. */
const MOST_BEHIND_BYTES = 4096

const flac = async () => new (await import('@wasm-audio-decoders/flac')).FLACDecoder()

/** Each is loaded with the first file of its kind: together they take a tenth of a second and 20 MB. */
const DECODERS = {
  // Layers I to III; always two channels, the same one twice where the file is mono.
  mp3: async () => new (await import('mpg123-decoder')).MPEGDecoder(),
  flac,
  'ogg-flac': flac,
  'ogg-vorbis': async () => new (await import('@wasm-audio-decoders/ogg-vorbis')).OggVorbisDecoder(),
  'ogg-opus': async () => new (await import('ogg-opus-decoder')).OggOpusDecoder(),
} satisfies Record<string, () => Promise<WasmDecoder>>

/** Sounds that are decoded by WebAssembly, by container and codec; `audio-format.ts` finds out which one a file is. */
export type WasmCodec = keyof typeof DECODERS

/** Decodes by a WebAssembly build of the codec, which cannot leave its memory. @throws AttestdError media-corrupt */
export async function* decodeByWasm(
  codec: WasmCodec,
  bytes: AsyncIterable<Uint8Array>,
  { parsers }: Pick<ReaderTools, 'parsers'>,
): SoundBlocks {
  const decoder: WasmDecoder = await DECODERS[codec]()
  await decoder.ready
  const parsing = parsers.begin()
  try {
    let decoded = false
    let [pending, longest] = [0, 0]
    for await (const chunk of bytes) {
      parsing.step()
      pending += chunk.length
      const block = blockOf(await guarded(() => decoder.decode(chunk)))
      if (block === null) continue
      // What lies in front of the first sound is tags and pictures.
      if (decoded) longest = Math.max(longest, pending)
      decoded = true
      pending = 0
      yield block
    }
    if (codec === 'flac' && decoded && pending > 2 * longest + MOST_BEHIND_BYTES)
      throw corruptSound('players go on behind a fault in its middle, the decoder does not.')
    // Nothing but an empty parser is there to flush before the first sound.
    const last = decoder.flush === undefined ? null : blockOf(await guarded(() => decoder.flush?.()))
    if (last !== null) yield last
    else if (!decoded) throw corruptSound(`there is no ${codec} frame.`)
  } finally {
    parsing.end()
    decoder.free()
  }
}

async function guarded(work: () => Decoded | Promise<Decoded> | undefined): Promise<Decoded | undefined> {
  try {
    return await work()
  } catch (error) {
    throw corruptSound(errorText(error), error)
  }
}

function blockOf(decoded: Decoded | undefined): SoundBlock | null {
  const problem = decoded?.errors[0]
  if (problem !== undefined) throw corruptSound(problem.message)
  if (decoded === undefined || decoded.samplesDecoded <= 0 || decoded.channelData.length === 0) return null
  return { sampleRate: decoded.sampleRate, channels: decoded.channelData }
}
