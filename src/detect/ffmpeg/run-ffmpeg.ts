import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { AttestdError, errorText } from '../../core/errors.js'
import { ffmpegCage } from './ffmpeg-cage.js'
import { ffmpegError } from './ffmpeg-error.js'
import { DECODERS, DEMUXERS } from './ffmpeg-formats.js'

/** Largest single allocation of ffmpeg, bytes; a 33 MP frame of 8-bit RGB takes 100 MB. */
const MAX_ALLOC_BYTES = 256 * 1024 ** 2
/** Most pixels of a frame that ffmpeg decodes: 8K UHD (7680x4320). */
export const MAX_FRAME_PIXELS = 33_177_600
/** What ffmpeg states at level `error` that is kept, characters: of a broken file it states the same for every frame. */
const MAX_STDERR = 16_384
/** Most that is read of the side channel, bytes; a line for each of some hundred frames. */
const MAX_SIDE_BYTES = 1024 ** 2

/** One decode by ffmpeg in its cage. */
export interface FfmpegRun {
  /** Absolute path of the program. */
  readonly ffmpeg: string
  /** Absolute path of the media file. A file, never a pipe: an MP4 with its index at the end cannot be read from one. */
  readonly file: string
  /** Options before the input, such as a seek. @default none */
  readonly inputOptions?: readonly string[]
  /** Options of the one output, which goes to stdout; format and codec included. */
  readonly args: readonly string[]
  /** Most bytes of output; a run that gives more is ended with media-too-complex. */
  readonly maxBytes: number
  /** Longest time of the run by the wall clock, ms; the same in processor time is the kernel's limit. */
  readonly timeoutMs: number
  /** Receives what the run writes to its file descriptor 3, in pieces, each before the output it goes with. */
  readonly onSide?: (text: string) => void
  /** Receives all that ffmpeg states at level `warning`, in pieces. */
  readonly onWarning?: (text: string) => void
}

/**
 * Decodes with ffmpeg in its cage and collects the output.
 * @throws AttestdError media-corrupt, media-unsupported, media-too-complex, media-type-mismatch, detector-timeout, detector-failed (no such program)
 */
export async function runFfmpeg(run: FfmpegRun): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of streamFfmpeg(run)) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/**
 * Decodes with ffmpeg in its cage and gives the output as it comes; ffmpeg waits while nobody reads, and is killed when
 * the reader stops early.
 * @throws AttestdError as `runFfmpeg`, after the output that came before
 */
export async function* streamFfmpeg(run: FfmpegRun): AsyncGenerator<Buffer, void, undefined> {
  const cage = await ffmpegCage()
  const { command, args } = cage.wrap(run.ffmpeg, commandLine(run), run.timeoutMs / 1000)
  const child = spawn(command, args, {
    env: {},
    cwd: '/',
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    timeout: Math.ceil(run.timeoutMs),
    killSignal: 'SIGKILL',
  })
  const closed = once(child, 'close')
  closed.catch(() => {})
  let stderr = ''
  readBeginning(child.stderr, MAX_STDERR, (text) => {
    stderr += text
  })
  if (run.onWarning !== undefined) child.stderr?.on('data', run.onWarning)
  readBeginning(child.stdio[3] as Readable | null, MAX_SIDE_BYTES, (text) => run.onSide?.(text))
  try {
    let bytes = 0
    for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > run.maxBytes) {
        throw new AttestdError('media-too-complex', `The media decodes to more than ${run.maxBytes} bytes.`)
      }
      yield chunk
    }
    const [exitCode, signal] = await closed.catch((cause: unknown) => {
      throw new AttestdError('detector-failed', `ffmpeg could not be started: ${errorText(cause)}`, { cause })
    })
    if (exitCode !== 0) throw ffmpegError({ exitCode, signal, stderr })
  } finally {
    child.kill('SIGKILL')
  }
}

/** Hands on the beginning of what a stream gives, at most so many characters, and reads the rest, so that ffmpeg does not wait. */
function readBeginning(stream: Readable | null, most: number, onText: (text: string) => void): void {
  let left = most
  stream?.setEncoding('utf8').on('data', (text: string) => {
    if (left > 0) onText(text.slice(0, left))
    left -= text.length
  })
}

/** What is the same for every run: no terminal, local files only, known formats, bounded memory, one thread. */
function commandLine({ file, inputOptions = [], args, onWarning }: FfmpegRun): string[] {
  const level = onWarning === undefined ? 'error' : 'warning'
  const always = ['-nostdin', '-hide_banner', '-loglevel', level, '-max_alloc', String(MAX_ALLOC_BYTES)]
  const allowed = ['-protocol_whitelist', 'file,pipe', '-format_whitelist', DEMUXERS.join(',')]
  const decoder = ['-codec_whitelist', DECODERS.join(','), '-max_pixels', String(MAX_FRAME_PIXELS), '-threads', '1']
  // -sn -dn: no subtitles, no data.
  const input = [...inputOptions, '-i', `file:${file}`, '-sn', '-dn']
  return [...always, '-filter_threads', '1', ...allowed, ...decoder, ...input, ...args, '-threads', '1', 'pipe:1']
}
