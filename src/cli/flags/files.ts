import fs from 'node:fs/promises'
import path from 'node:path'
import { AttestdError } from '../../core/errors.js'

/** What a path on the command line must lead to. */
type Kind = 'file' | 'folder' | 'file or folder'

/**
 * The absolute path of a file or folder that a command line names, once it is known to be there.
 * @param argument as the help shows it, such as `--data`
 * @throws AttestdError argument-invalid
 */
export async function fileArgument(argument: string, given: string, kind: Kind = 'file'): Promise<string> {
  const file = path.resolve(given)
  const refused = (why: string) => new AttestdError('argument-invalid', `${argument} takes a ${kind}: ${file} ${why}.`)
  const stat = await fs.stat(file).catch((error: NodeJS.ErrnoException) => {
    throw refused(error.code === 'EACCES' ? 'cannot be read by this user' : 'does not exist')
  })
  if (stat.isDirectory() ? kind === 'file' : kind === 'folder' || !stat.isFile()) {
    throw refused(stat.isDirectory() ? 'is a folder' : stat.isFile() ? 'is a file' : 'is a pipe or a device')
  }
  await fs.access(file, fs.constants.R_OK).catch(() => {
    throw refused('cannot be read by this user')
  })
  return file
}
