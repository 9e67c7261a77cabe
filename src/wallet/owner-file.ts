import { openRegularFile } from '../core/disk/plain-files.js'
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
  const handle = await openRegularFile(file).catch(({ code }: NodeJS.ErrnoException) => {
    throw unusable(code === undefined ? 'is not a file' : `cannot be read (${code})`)
  })
  try {
    const stat = await handle.stat()
    const mode = modeOpenToOthers(stat)
    if (mode !== null) throw unusable(`may be read by others (mode ${mode}); run chmod 600 ${file}`)
    if (stat.size > maxBytes) throw unusable(`is larger than ${maxBytes} bytes`)
    return await handle.readFile('utf8')
  } finally {
    await handle.close()
  }
}
