import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { AttestdError } from '../../../core/errors.js'
import { findOggPage, type OggFacts, oggFacts } from '../../../formats/ogg.js'
import { flacFacts } from '../../../formats/sound-length.js'
import type { ReaderTools } from '../../contract/medium-reader.js'
import { sniffAudioFormat } from './audio-format.js'
import { openByFfmpeg } from './ffmpeg-decode.js'
import { Mp3Frames, mp3Seconds } from './mp3-frames.js'
import { oggPages } from './ogg-pages.js'
import { mayHoldSpeech } from './opus-packets.js'
import { type BytePassage, MAX_SECONDS, planBytePassages } from './passages.js'
import type { OpenSound, SoundBlocks } from './sound.js'
import { decodeByWasm, type WasmCodec } from './wasm-decode.js'
import { decodeSamples, hasMoreSound, wavHeader } from './wav-decode.js'

/**
 * Bytes that a decoder gets at once. Some dozen bytes of coded silence are a frame of 65,535 samples in 8 channels: at the
 * usual 64 KiB a file of 160 KB took 7 GB.
 */
const READ_BYTES = 1024

/**
 * Opens a sound file. The formats that a decoder of this package knows never go to ffmpeg, so that a score does not
 * depend on whether one is installed, nor on its version. Of a file that was cut off, what a listener would hear is read.
 * @throws AttestdError media-*; the blocks throw them too
 */
export async function openSound(file: string, tools: ReaderTools): Promise<OpenSound> {
  const format = await sniffAudioFormat(file)
  if (format.reader === 'ffmpeg') return openByFfmpeg(file, format.mime, tools)
  const { size } = await stat(file)
  if (format.reader === 'wav') return openWav(file, size)
  if (format.codec === 'mp3') return openMp3(file, format.from, size, tools)
  if (format.codec === 'flac') return openFlac(file, format.from, size, tools)
  return openOgg(file, format.codec, size, tools)
}

async function openWav(file: string, size: number): Promise<OpenSound> {
  const { format, dataAt, dataBytes } = await wavHeader(createReadStream(file))
  const { blockAlign, sampleRate } = format
  const frames = Math.floor(Math.min(dataBytes, Math.max(0, size - dataAt)) / blockAlign)
  const seconds = frames / sampleRate
  if (await hasMoreSound(file, dataAt + dataBytes + (dataBytes % 2)))
    throw new AttestdError('media-unsupported', 'The WAVE file has several pieces of sound.')
  const whole = dataAt + frames * blockAlign
  const planned = await planBytePassages(file, seconds, dataAt, whole)
  const passages = planned.map(({ from, to, ...passage }) => {
    const start = from - ((from - dataAt) % blockAlign)
    return { ...passage, blocks: decodeSamples(bytesOf(file, start, to), format) }
  })
  return { format: 'wav', seconds, passages }
}

/** The decoder finds the next frame from any byte. */
async function openFlac(file: string, start: number, size: number, tools: ReaderTools): Promise<OpenSound> {
  const { seconds, soundAt } = await flacFacts(file, start)
  const planned = await planBytePassages(file, seconds, Math.min(soundAt, size), size)
  const passages = planned.map(({ from, to, ...passage }) => ({
    ...passage,
    blocks: decodeByWasm('flac', bytesOf(file, passage.startSeconds === 0 ? start : from, to, READ_BYTES), tools),
  }))
  return { format: 'flac', seconds, passages }
}

async function openMp3(file: string, start: number, size: number, tools: ReaderTools): Promise<OpenSound> {
  const seconds = await mp3Seconds(file, start, size, MAX_SECONDS)
  const planned = await planBytePassages(file, seconds, start, size)
  const passages = planned.map(({ from, to, ...passage }) => {
    const frames = new Mp3Frames()
    const blocks = decodeByWasm('mp3', frames.of(bytesOf(file, from, to)), tools)
    return { ...passage, blocks: onceIfMono(blocks, frames) }
  })
  return { format: 'mp3', seconds, passages }
}

/** The decoder gives the one channel of a mono file twice. Where a later part has two, both are taken from there on. */
async function* onceIfMono(blocks: SoundBlocks, frames: Mp3Frames): SoundBlocks {
  for await (const { sampleRate, channels } of blocks)
    yield { sampleRate, channels: frames.isMono ? channels.slice(0, 1) : channels }
}

async function openOgg(file: string, codec: WasmCodec, size: number, tools: ReaderTools): Promise<OpenSound> {
  const facts = await oggFacts(file)
  const planned = await planBytePassages(file, facts?.seconds ?? null, facts?.headBytes ?? 0, size)
  const found = facts === null ? planned : await onPages(file, planned, facts, codec)
  const passages = found.map(({ from, to, ...passage }) => ({
    ...passage,
    blocks: decodeByWasm(codec, oggPages(withHead(file, passage.startSeconds === 0 ? 0 : from, to, facts)), tools),
  }))
  return { format: codec.replace('-', ' '), seconds: facts?.seconds ?? null, passages }
}

/** Passages from the next page on, without those that are silent by the sizes of their packets. */
async function onPages(
  file: string,
  planned: readonly BytePassage[],
  { serial }: OggFacts,
  codec: WasmCodec,
): Promise<BytePassage[]> {
  const found: BytePassage[] = []
  for (const passage of planned) {
    const from = await findOggPage(file, passage.from, serial)
    if (from === null || from >= passage.to) continue
    const isSilent = codec === 'ogg-opus' && !(await mayHoldSpeech(bytesOf(file, from, passage.to), passage.seconds))
    if (!isSilent) found.push({ ...passage, from })
  }
  if (found.length > 0) return found
  throw new AttestdError('media-without-speech', 'The recording contains no speech: its packets are too small.')
}

/** Of a passage that is not the beginning, the pages with the codec's headers and its own. */
async function* withHead(file: string, from: number, to: number, facts: OggFacts | null): AsyncIterable<Uint8Array> {
  if (from > 0) yield* bytesOf(file, 0, facts?.headBytes ?? 0, READ_BYTES)
  yield* bytesOf(file, from, to, READ_BYTES)
}

/** Read in large pieces, of which each is a round trip to the file system. @param most bytes of one that is handed on */
async function* bytesOf(file: string, from: number, to: number, most = Infinity): AsyncIterable<Uint8Array> {
  if (from >= to) return
  const stream: AsyncIterable<Buffer> = createReadStream(file, { start: from, end: to - 1 })
  for await (const chunk of stream) for (let at = 0; at < chunk.length; at += most) yield chunk.subarray(at, at + most)
}
