import fs from 'node:fs/promises'
import path from 'node:path'
import type { Settings } from '../../config/settings.js'
import { AttestdError } from '../../core/errors.js'
import { isThere } from '../../core/files.js'

/** What is looked for where the setting is left alone. */
const USUAL_FFMPEG = 'ffmpeg'

/** The ffmpeg of the settings; null without one. @throws AttestdError setting-invalid where a named one is missing */
export async function findFfmpeg({ ffmpeg }: Pick<Settings, 'ffmpeg'>): Promise<string | null> {
  const program = await findProgram(ffmpeg)
  if (program !== null || ffmpeg === USUAL_FFMPEG) return program
  throw new AttestdError('setting-invalid', `ATTESTD_FFMPEG names ${ffmpeg}, which cannot be run.`, {
    fix: 'Correct ATTESTD_FFMPEG, or unset it to use the ffmpeg on the search path.',
  })
}

/** The file of authorities that Node took at its start; null without one, of which Node has warned. */
export async function extraAuthorities(): Promise<string | null> {
  const named = process.env.NODE_EXTRA_CA_CERTS
  return named && (await isThere(named)) ? path.resolve(named) : null
}

/**
 * The absolute path of a program, searched as a shell would: a name on the search path, anything with a slash as a file.
 * @returns null where there is no such program that may be run
 */
export async function findProgram(program: string, searchPath = process.env.PATH ?? ''): Promise<string | null> {
  const folders = program.includes('/') ? [''] : searchPath.split(path.delimiter).filter((folder) => folder !== '')
  for (const folder of folders) {
    const file = path.resolve(folder, program)
    if (await isProgram(file)) return file
  }
  return null
}

const isProgram = async (file: string): Promise<boolean> =>
  (await isThere(file, fs.constants.X_OK)) && (await fs.stat(file)).isFile()
