import { constants } from 'node:fs'
import fs from 'node:fs/promises'
import { AttestdError } from '../core/errors.js'
import { modeOpenToOthers } from '../core/files.js'

/**
 * Reads a text that holds a key, from a file readable by its owner only.
 * @param what for the error, for instance `keystore`
 * @param maxBytes a larger file is refused unread
 * @throws AttestdError wallet-unusable
 */
export async function readOwnerFile(file: string, what: string, maxBytes: number): Promise<string> {
  const unusable = (why: string) => new AttestdError('wallet-unusable', `The ${what} ${file} ${why}.`)
  // Without waiting, since the path may be a pipe that nobody writes to.
  const handle = await fs
    .open(file, constants.O_RDONLY | constants.O_NONBLOCK)
    .catch((error: NodeJS.ErrnoException) => {
      throw unusable(`cannot be read (${error.code ?? 'unreadable'})`)
    })
  try {
    const stat = await handle.stat()
    if (!stat.isFile()) throw unusable('is not a file')
    const mode = modeOpenToOthers(stat)
    if (mode !== null) throw unusable(`may be read by others (mode ${mode}); run chmod 600 ${file}`)
    if (stat.size > maxBytes) throw unusable(`is larger than ${maxBytes} bytes`)
    return await handle.readFile('utf8')
  } finally {
    await handle.close()
  }
}
