import type { Clock } from '../../core/clock.js'
import { AttestdError } from '../../core/errors.js'
import { streamFfmpeg } from '../ffmpeg/run-ffmpeg.js'
import { type Frame, MAX_SHORT_SIDE } from './frame.js'
import type { Segment } from './frame-plan.js'
import { readPpmStream } from './ppm-stream.js'

/** Same results on every processor, at some cost; the default takes shortcuts that differ. */
const SCALER = 'lanczos+accurate_rnd+full_chroma_int+bitexact'
/** Largest frame that comes out, bytes: a short side of `MAX_SHORT_SIDE` and up to eight times that. */
const MAX_FRAME_BYTES = 8 * MAX_SHORT_SIDE * MAX_SHORT_SIDE * 3 + 32
/** Behind the keyframe that a stretch begins with: a time rounded to before it would decode all that follows the last one. */
const SEEK_MARGIN_SECONDS = 0.01

/** Pictures a second of a stretch that is taken as it is shown. */
const SHOWN_PER_SECOND = 5

/** What is decoded of one file: the stretches that `segments` plans, each by a run of the binary `ffmpeg`. */
export interface FfmpegFrames {
  readonly ffmpeg: string
  readonly file: string
  /** ffmpeg's name of the container. */
  readonly demuxer: string
  readonly segments: readonly Segment[]
  /** Longest time of all segments together, ms. */
  readonly timeoutMs: number
  readonly clock: Clock
}

/**
 * Decodes the planned stretches with ffmpeg, one after the other. Of a file that was cut off, what a player would show is
 * decoded: a stretch without frames is left out, and only when none has any the first error is thrown.
 * @throws AttestdError as `streamFfmpeg`
 */
export async function* ffmpegFrames(options: FfmpegFrames): AsyncGenerator<Frame, void, undefined> {
  const until = options.clock.monotonic() + options.timeoutMs
  let count = 0
  let failure: AttestdError | undefined
  for (const segment of options.segments) {
    try {
      for await (const frame of decode(options, segment, Math.max(1, until - options.clock.monotonic()))) {
        count += 1
        yield frame
      }
    } catch (error) {
      if (!(error instanceof AttestdError) || error.reason !== 'media-corrupt') throw error
      failure ??= error
    }
  }
  if (count === 0)
    throw failure ?? new AttestdError('media-corrupt', 'The video contains no frame that can be decoded.')
}

async function* decode(
  { ffmpeg, file, demuxer }: FfmpegFrames,
  segment: Segment,
  timeoutMs: number,
): AsyncGenerator<Frame, void, undefined> {
  const from = segment.start > 0 ? (segment.start + SEEK_MARGIN_SECONDS).toFixed(3) : null
  // Not accurate: from the keyframe at or before the place sought, instead of decoding on to it.
  const seek = from === null ? [] : ['-noaccurate_seek', '-ss', from]
  const only = segment.keyframesOnly ? ['-skip_frame', 'nokey'] : []
  const length = Number.isFinite(segment.seconds) ? ['-t', segment.seconds.toFixed(3)] : []
  const times = new TimeLines()
  const chunks = streamFfmpeg({
    ffmpeg,
    file,
    inputOptions: ['-f', demuxer, ...only, ...seek, ...length],
    args: outputOf(segment),
    maxBytes: segment.maxFrames * MAX_FRAME_BYTES,
    timeoutMs,
    onSide: (text) => times.add(text),
  })
  for await (const picture of readPpmStream(chunks)) {
    // ffmpeg counts from the place sought.
    yield { ...picture, seconds: Math.max(0, Number(from ?? 0) + (await times.next())) }
  }
}

/** V: not the picture of a cover. Passthrough: no frame is doubled or dropped to make the rate even. */
function outputOf(segment: Segment): string[] {
  const stream = ['-map', '0:V:0', '-an', '-vf', filters(segment), '-frames:v', String(segment.maxFrames)]
  return [...stream, '-fps_mode', 'passthrough', '-f', 'image2pipe', '-c:v', 'ppm', '-pix_fmt', 'rgb24']
}

/**
 * Frames at least a step apart whatever the rate, each reported with its time on file descriptor 3, made square-pixeled and
 * small. ffmpeg turns them upright before.
 */
function filters({ isAsShown, step }: Segment): string {
  const gap = (step - 0.001).toFixed(4)
  const side = `${MAX_SHORT_SIDE}/min(iw*if(sar,sar,1),ih)`
  const width = `max(1,round(iw*if(sar,sar,1)*min(1,${side})))`
  const height = `max(1,round(ih*min(1,${side})))`
  const isDue = `isnan(prev_selected_t)+gte(t-prev_selected_t,${gap})`
  return [
    // Times count from the place sought, before which ffmpeg began to decode.
    ...(isAsShown ? [`fps=${SHOWN_PER_SECOND}:round=up`, `select='gte(t,0)*(${isDue})'`] : [`select='${isDue}'`]),
    'metadata=add:key=kept:value=1',
    // By its key, because a file may contain any amount of its own.
    'metadata=print:key=kept:file=pipe\\\\:3:direct=1',
    `scale=w='${width}':h='${height}':flags=${SCALER}`,
    'setsar=1',
  ].join(',')
}

/**
 * Reads `frame:0 pts:512 pts_time:0.0333` lines. A line is written before its frame, but comes through another pipe, so
 * it may arrive later; then the frame waits for it.
 */
class TimeLines {
  #text = ''
  readonly #times: number[] = []
  #last = 0
  #waiting: ((time: number) => void) | null = null

  add(text: string): void {
    const lines = (this.#text + text).split('\n')
    this.#text = lines.pop() ?? ''
    for (const line of lines) {
      const time = /\bpts_time:(\S+)/.exec(line)?.[1]
      if (time === undefined) continue
      // NOPTS of a frame without a time: it is given that of the one before.
      if (Number.isFinite(Number(time))) this.#last = Number(time)
      this.#take(this.#last)
    }
  }

  next(): Promise<number> {
    const time = this.#times.shift()
    if (time !== undefined) return Promise.resolve(time)
    return new Promise((resolve) => {
      this.#waiting = resolve
    })
  }

  #take(time: number): void {
    const waiting = this.#waiting
    this.#waiting = null
    if (waiting === null) this.#times.push(time)
    else waiting(time)
  }
}
