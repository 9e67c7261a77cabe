import { type ChildProcess, spawn } from 'node:child_process'
import type { Readable } from 'node:stream'
import type { Clock } from '../../core/clock.js'
import { AttestdError } from '../../core/errors.js'
import { startTimer } from '../../core/time-limit.js'
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
  readonly clock: Clock
  readonly signal?: AbortSignal | undefined
  /** Receives what the run writes to its file descriptor 3, in pieces, each before the output it goes with. */
  readonly onSide?: (text: string) => void
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
  run.signal?.throwIfAborted()
  const { command, args } = cage.wrap(run.ffmpeg, commandLine(run), run.timeoutMs / 1000)
  const child = spawn(command, args, { env: {}, cwd: '/', stdio: ['ignore', 'pipe', 'pipe', 'pipe'] })
  const watch = new Watch(child, run)
  try {
    let bytes = 0
    for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > run.maxBytes) {
        throw new AttestdError('media-too-complex', `The media decodes to more than ${run.maxBytes} bytes.`)
      }
      yield chunk
    }
    await watch.finish()
  } finally {
    watch.stop()
  }
}

/** What is the same for every run: no terminal, local files only, known formats, bounded memory, one thread. */
function commandLine({ file, inputOptions = [], args }: FfmpegRun): string[] {
  const always = ['-nostdin', '-hide_banner', '-loglevel', 'error', '-max_alloc', String(MAX_ALLOC_BYTES)]
  const allowed = ['-protocol_whitelist', 'file,pipe', '-format_whitelist', DEMUXERS.join(',')]
  const decoder = ['-codec_whitelist', DECODERS.join(','), '-max_pixels', String(MAX_FRAME_PIXELS), '-threads', '1']
  // -sn -dn: no subtitles, no data.
  const input = [...inputOptions, '-i', `file:${file}`, '-sn', '-dn']
  return [...always, '-filter_threads', '1', ...allowed, ...decoder, ...input, ...args, '-threads', '1', 'pipe:1']
}

/** Ends one ffmpeg when its time is over or it is no longer wanted, and reports how it ended. */
class Watch {
  readonly #closed: Promise<{ exitCode: number | null; signal: NodeJS.Signals | null }>
  readonly #stopTimer: () => void
  readonly #onAbort = () => this.#child.kill('SIGKILL')
  #stderr = ''
  #timedOut = false
  #startError: Error | null = null

  readonly #child: ChildProcess
  readonly #run: FfmpegRun

  constructor(child: ChildProcess, run: FfmpegRun) {
    this.#child = child
    this.#run = run
    child.on('error', (error) => {
      this.#startError = error
    })
    this.#closed = new Promise((resolve) => {
      child.once('close', (exitCode, signal) => resolve({ exitCode, signal }))
    })
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      if (this.#stderr.length < MAX_STDERR) this.#stderr += text.slice(0, MAX_STDERR - this.#stderr.length)
    })
    this.#readSide(child.stdio[3] as Readable | null)
    this.#stopTimer = startTimer(run.clock, run.timeoutMs, () => {
      this.#timedOut = true
      child.kill('SIGKILL')
    })
    run.signal?.addEventListener('abort', this.#onAbort, { once: true })
  }

  /** Waits for the end. @throws AttestdError unless it ended well */
  async finish(): Promise<void> {
    const { exitCode, signal } = await this.#closed
    this.#run.signal?.throwIfAborted()
    if (this.#startError !== null) {
      throw new AttestdError('detector-failed', `ffmpeg could not be started: ${this.#startError.message}`, {
        cause: this.#startError,
      })
    }
    if (this.#timedOut) {
      throw new AttestdError('detector-timeout', 'Decoding by ffmpeg took longer than its limit.', {
        facts: { limitMs: this.#run.timeoutMs },
      })
    }
    if (exitCode !== 0) throw ffmpegError({ exitCode, signal, stderr: this.#stderr })
  }

  stop(): void {
    this.#stopTimer()
    this.#run.signal?.removeEventListener('abort', this.#onAbort)
    if (this.#child.exitCode === null && this.#child.signalCode === null) this.#child.kill('SIGKILL')
  }

  #readSide(side: Readable | null): void {
    let bytes = 0
    side?.setEncoding('utf8').on('data', (text: string) => {
      bytes += text.length
      if (bytes <= MAX_SIDE_BYTES) this.#run.onSide?.(text)
    })
  }
}
