import fs from 'node:fs/promises'
import path from 'node:path'
import { folderForAll } from '../../support/temporary-folder.js'

/** Writes bytes to files that are removed after the tests of a file; call it at its top. */
export function temporaryFiles(): (bytes: Buffer) => Promise<string> {
  const folder = folderForAll()
  return async (bytes) => {
    const file = path.join(await fs.mkdtemp(path.join(folder, 'case-')), 'file')
    await fs.writeFile(file, bytes)
    return file
  }
}
