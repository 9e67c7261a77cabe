import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { AttestdError, errorText } from '../../core/errors.js'

/** Printing its version takes an ffmpeg milliseconds, on a busy machine a second. */
const VERSION_TIMEOUT_MS = 10_000
const FIX = 'Correct ATTESTD_FFMPEG, or unset it to use the ffmpeg on the search path.'

/** The version that a program states it is of. @throws AttestdError setting-invalid where it does not run or is no ffmpeg */
export async function ffmpegVersion(program: string): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(program, ['-version'], { env: {}, timeout: VERSION_TIMEOUT_MS })
    const version = /^ffmpeg version (\S+)/.exec(stdout)?.[1]
    if (version !== undefined) return version
  } catch (error) {
    throw new AttestdError('setting-invalid', `${program} does not run: ${errorText(error)}`, {
      cause: error,
      fix: FIX,
    })
  }
  throw new AttestdError('setting-invalid', `${program} is not ffmpeg.`, { fix: FIX })
}
