import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'

/** Absolute path of the ffmpeg on the PATH; null where there is none, and the tests that need it are skipped. */
export const ffmpeg: string | null =
  (process.env.PATH ?? '')
    .split(path.delimiter)
    .map((folder) => path.join(folder, 'ffmpeg'))
    .find((file) => existsSync(file)) ?? null

/** Makes a media file with ffmpeg, without the cage. */
export async function make(...args: string[]): Promise<void> {
  if (ffmpeg === null) throw new Error('there is no ffmpeg')
  await promisify(execFile)(ffmpeg, ['-nostdin', '-hide_banner', '-loglevel', 'error', '-y', ...args])
}
