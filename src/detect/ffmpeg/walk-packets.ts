import { toAttestdError } from '../../core/errors.js'
import { runFfmpeg } from './run-ffmpeg.js'

/** Longest time that the packets of a file are walked, ms; 1 GB took about a second. */
const WALK_TIMEOUT_MS = 20_000

/**
 * Length and number of packets of one stream of a file, undecoded.
 * @param stream as ffmpeg names it: `0:V:0` for the first of pictures @throws as `runFfmpeg`
 */
export async function walkPackets(ffmpeg: string, file: string, stream: string, inputOptions: readonly string[] = []) {
  let progress = ''
  await runFfmpeg({
    ffmpeg,
    file,
    inputOptions,
    args: ['-map', stream, '-c', 'copy', '-progress', 'pipe:3', '-f', 'null'],
    maxBytes: 0,
    timeoutMs: WALK_TIMEOUT_MS,
    onSide: (text) => {
      progress += text
    },
  })
  return { seconds: lastOf(progress, 'out_time_us') / 1e6, packets: lastOf(progress, 'frame') }
}

/**
 * Whether a file has this stream.
 * @param stream as ffmpeg names it: `0:a:1` for the second of sound @throws as `runFfmpeg`
 */
export async function hasStream(
  ffmpeg: string,
  file: string,
  stream: string,
  inputOptions: readonly string[] = [],
): Promise<boolean> {
  const args = ['-map', stream, '-c', 'copy', '-frames', '1', '-f', 'null']
  try {
    await runFfmpeg({ ffmpeg, file, inputOptions, args, maxBytes: 0, timeoutMs: WALK_TIMEOUT_MS })
    return true
  } catch (error) {
    if (toAttestdError(error).reason === 'media-type-mismatch') return false
    throw error
  }
}

/** The last value of a key in ffmpeg's reports of progress; 0 where there is none. */
function lastOf(text: string, key: string): number {
  const values = [...text.matchAll(new RegExp(`^${key}=(\\d+)$`, 'gm'))]
  return Number(values.at(-1)?.[1] ?? 0)
}
