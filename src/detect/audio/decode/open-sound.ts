import { createReadStream } from 'node:fs'
import type { ReaderTools } from '../../contract/medium-reader.js'
import { sniffAudioFormat } from './audio-format.js'
import { openByFfmpeg } from './ffmpeg-decode.js'
import { Mp3Frames } from './mp3-frames.js'
import { oggPages } from './ogg-pages.js'
import type { OpenSound, SoundBlocks } from './sound.js'
import { decodeByWasm } from './wasm-decode.js'
import { decodeWav } from './wav-decode.js'

/**
 * Bytes that a decoder gets at once. Some dozen bytes of coded silence are a frame of 65,535 samples in 8 channels: at the
 * usual 64 KiB a file of 160 KB took 7 GB. Smaller reads are no slower.
 */
const READ_BYTES = 1024

/**
 * Opens a sound file. The formats that a decoder of this package knows never go to ffmpeg, so that a score does not
 * depend on whether one is installed, nor on its version. Of a file that was cut off, what a listener would hear is read.
 * @throws AttestdError media-*; the blocks throw them too
 */
export async function openSound(file: string, tools: ReaderTools): Promise<OpenSound> {
  const format = await sniffAudioFormat(file)
  if (format.reader === 'wav') return { format: 'wav', blocks: decodeWav(createReadStream(file)) }
  if (format.reader === 'ffmpeg') return openByFfmpeg(file, format.mime, tools)
  if (format.codec === 'mp3') return openMp3(file, format.from, tools)
  const bytes = createReadStream(file, { start: format.from, highWaterMark: READ_BYTES })
  const blocks = decodeByWasm(format.codec, format.codec === 'flac' ? bytes : oggPages(bytes), tools)
  return { format: format.codec.replace('-', ' '), blocks }
}

function openMp3(file: string, from: number, tools: ReaderTools): OpenSound {
  const frames = new Mp3Frames()
  const blocks = decodeByWasm('mp3', frames.of(createReadStream(file, { start: from })), tools)
  return { format: 'mp3', blocks: onceIfMono(blocks, frames) }
}

/** The decoder gives the one channel of a mono file twice. Where a later part has two, both are taken from there on. */
async function* onceIfMono(blocks: SoundBlocks, frames: Mp3Frames): SoundBlocks {
  for await (const { sampleRate, channels } of blocks)
    yield { sampleRate, channels: frames.isMono ? channels.slice(0, 1) : channels }
}
