import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { findProgram } from '../../src/app/open/find-program.js'

/** Absolute path of the ffmpeg on the PATH; null where there is none, and the tests that need it are skipped. */
export const ffmpeg = await findProgram('ffmpeg')

/** Makes a media file with ffmpeg, without the cage. */
export async function make(...args: string[]): Promise<void> {
  if (ffmpeg === null) throw new Error('there is no ffmpeg')
  await promisify(execFile)(ffmpeg, ['-nostdin', '-hide_banner', '-loglevel', 'error', '-y', ...args])
}
