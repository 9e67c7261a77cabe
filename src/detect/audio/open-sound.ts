import { createReadStream } from 'node:fs'
import fs from 'node:fs/promises'
import { AttestdError } from '../../core/errors.js'
import type { ReaderTools } from '../child/medium-reader.js'
import { type AudioFormat, sniffAudioFormat } from './audio-format.js'
import { readAt } from './file-ends.js'
import { findMp3 } from './mp3-header.js'
import { corruptSound, type SoundBlocks } from './sound.js'
import { decodeByWasm } from './wasm-decode.js'
import { decodeWav } from './wav-decode.js'

/** How far behind a tag the first MP3 frame may lie. */
const MP3_SEARCH_BYTES = 128 * 1024
/** An Ogg page has a header of 27 bytes, up to 255 segment sizes and as many segments of up to 255 bytes (RFC 3533). */
const MAX_OGG_PAGE_BYTES = 27 + 255 + 255 * 255

/** A file that was found to hold sound. */
export interface OpenSound {
  /** As a person would call it: `mp3`, `ogg opus`. */
  readonly format: string
  readonly blocks: SoundBlocks
}

/**
 * Opens a sound file. The formats that a decoder of this package knows never go to ffmpeg, so that a score does not
 * depend on whether one is installed, nor on its version.
 * @throws AttestdError media-*; the blocks throw them too
 */
export async function openSound(file: string, tools: ReaderTools): Promise<OpenSound> {
  const format = await sniffAudioFormat(file)
  const { size } = await fs.stat(file)
  if (format.reader === 'wav') return { format: 'wav', blocks: decodeWav(createReadStream(file)) }
  if (format.reader === 'ffmpeg') return openByFfmpeg(format, tools)
  if (format.codec === 'mp3') return openMp3(file, format.from, size)
  if (format.codec !== 'flac') await refuseCutOgg(file, size)
  const blocks = decodeByWasm(format.codec, createReadStream(file, { start: format.from }))
  return { format: format.codec.replace('-', ' '), blocks }
}

async function openMp3(file: string, from: number, size: number): Promise<OpenSound> {
  const header = findMp3(await readAt(file, from, MP3_SEARCH_BYTES))
  if (header === null) throw corruptSound('there is no mp3 frame.')
  const start = from + header.at
  if (header.statedBytes !== null && size - start < header.statedBytes)
    throw cutOff(header.statedBytes - (size - start))
  const blocks = decodeByWasm('mp3', createReadStream(file, { start }))
  return { format: 'mp3', blocks: header.isMono ? firstChannel(blocks) : blocks }
}

async function* firstChannel(blocks: SoundBlocks): SoundBlocks {
  for await (const { sampleRate, channels } of blocks) yield { sampleRate, channels: channels.slice(0, 1) }
}

/** An Ogg file states no length, but its last page does. */
async function refuseCutOgg(file: string, size: number): Promise<void> {
  const offset = Math.max(0, size - MAX_OGG_PAGE_BYTES)
  const tail = await readAt(file, offset, MAX_OGG_PAGE_BYTES)
  const at = tail.lastIndexOf('OggS')
  if (at === -1) throw corruptSound('there is no Ogg page at its end.')
  const segments = tail.subarray(at + 27, at + 27 + (tail[at + 26] ?? 0))
  const end = at + 27 + (tail[at + 26] ?? 0) + segments.reduce((sum, bytes) => sum + bytes, 0)
  if (tail.length < at + 27 || end > tail.length) throw cutOff(Math.max(1, end - tail.length))
}

function openByFfmpeg({ mime }: Extract<AudioFormat, { reader: 'ffmpeg' }>, { ffmpeg }: ReaderTools): never {
  if (ffmpeg === null) {
    throw new AttestdError(
      'media-unsupported',
      `Sound of type ${mime} needs ffmpeg, and there is none: install it or name it in ATTESTD_FFMPEG.`,
    )
  }
  throw new AttestdError('media-unsupported', `Sound of type ${mime} is not supported.`)
}

function cutOff(missingBytes: number): AttestdError {
  return new AttestdError(
    'media-corrupt',
    `The file is cut off: at least ${missingBytes} bytes are missing at its end.`,
  )
}
