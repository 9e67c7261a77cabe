import { toAttestdError } from '../../core/errors.js'
import { severalTracks } from '../../formats/first-chosen.js'
import { runFfmpeg } from './run-ffmpeg.js'

/** Longest time that the packets of a file are walked, ms; 1 GB took about a second. */
const WALK_TIMEOUT_MS = 20_000

/** Of pictures and of sound: streams that ffmpeg found when it opened the file, and its warning of one that begins later. */
const SECONDS_OF_A_KIND = ['0:V:1', '0:a:1']
const BEGINS_LATER = /New (video|audio) stream/
/** What is kept of the warnings for a match that goes on in the next piece, characters. */
const WARNING_OVERLAP = 20

/**
 * Length and number of packets of one stream, undecoded, of a file with at most one of pictures and one of sound.
 * @param stream as ffmpeg names it: `0:V:0` for the first of pictures
 * @throws AttestdError as `runFfmpeg`; media-unsupported where another stream is there, or begins anywhere in the file: players may go over to it
 */
export async function walkPackets(ffmpeg: string, file: string, stream: string, inputOptions: readonly string[] = []) {
  for (const second of SECONDS_OF_A_KIND) if (await hasStream(ffmpeg, file, second, inputOptions)) throw severalTracks()
  let progress = ''
  let warned = ''
  let isOther = false
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
    onWarning: (text) => {
      warned += text
      isOther ||= BEGINS_LATER.test(warned)
      warned = warned.slice(-WARNING_OVERLAP)
    },
  })
  if (isOther) throw severalTracks()
  return { seconds: lastOf(progress, 'out_time_us') / 1e6, packets: lastOf(progress, 'frame') }
}

async function hasStream(
  ffmpeg: string,
  file: string,
  stream: string,
  inputOptions: readonly string[],
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
