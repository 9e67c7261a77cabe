import { AttestdError } from '../../core/errors.js'

/** Longest quotation of ffmpeg's own words in an error, characters. */
const MAX_QUOTE = 200

/** How an ffmpeg without a result ended. */
export interface FfmpegEnd {
  readonly exitCode: number | null
  readonly signal: NodeJS.Signals | null
  /** What it wrote at log level `error`, the beginning. */
  readonly stderr: string
}

/**
 * ffmpeg has no error codes to distinguish cases (1 for nearly all), so its messages are matched (5.1 and 7.0); of several
 * the first that fits, the ones that name a cause before those that name a symptom.
 */
const CASES = [
  // Trouble of this machine, not of the media: it is retried, and no verdict on the file.
  [/No such file or directory|Permission denied|Too many open files/i, 'internal-error'],
  [/exceeds specified max pixel count|Picture size \S+ is invalid/i, 'media-too-complex'],
  [/Cannot allocate memory|Error allocating|Invalid max_alloc|Failed to allocate/i, 'media-too-complex'],
  [/matches no streams|does not contain any stream/i, 'media-type-mismatch'],
  [/not on whitelist|Protocol not found/i, 'media-unsupported'],
  [/Decoder .*not found|Unknown decoder|no decoder found|codec not currently supported/i, 'media-unsupported'],
] as const

/** Why an ffmpeg returned no result, as an `AttestdError`: media-corrupt, media-unsupported, media-too-complex, media-type-mismatch, detector-timeout, detector-failed, internal-error (the file cannot be opened). */
export function ffmpegError({ exitCode, signal, stderr }: FfmpegEnd): AttestdError {
  // SIGKILL: by the clock, or by the kernel, whose limit on processor time may also be SIGXCPU.
  if (signal === 'SIGXCPU' || signal === 'SIGKILL')
    return new AttestdError('detector-timeout', 'Decoding by ffmpeg took longer than its limit.')
  // 126 and 127 are those of a wrapper that could not run it.
  if (exitCode === 126 || exitCode === 127)
    return new AttestdError('detector-failed', `ffmpeg could not be started: ${lineOf(stderr, undefined)}`)
  if (signal !== null) return new AttestdError('media-corrupt', `ffmpeg died of ${signal} while it decoded.`)
  const reason = CASES.find(([words]) => words.test(stderr))?.[1] ?? 'media-corrupt'
  const quote = lineOf(stderr, CASES.find(([, each]) => each === reason)?.[0])
  return new AttestdError(reason, `ffmpeg could not decode the file: ${quote || `it ended with ${exitCode}`}`)
}

/** The most informative line, without addresses of objects and paths, which differ from run to run. */
function lineOf(stderr: string, words: RegExp | undefined): string {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '')
  const line = lines.find((each) => words?.test(each)) ?? lines[0] ?? ''
  return line
    .replaceAll(/ @ 0x[0-9a-f]+/g, '')
    .replaceAll(/(file:)?\/\S+/g, '(file)')
    .slice(0, MAX_QUOTE)
}
