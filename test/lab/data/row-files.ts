import fs from 'node:fs/promises'
import path from 'node:path'
import { folderForAll } from '../../support/temporary-folder.js'

/** A folder for the files of one test file, removed with its last test. */
export function rowFiles() {
  const folder = folderForAll()
  return {
    path: folder,
    /** Writes a file of the folder. @returns its path */
    async write(name: string, data: string | Uint8Array): Promise<string> {
      const file = path.join(folder, name)
      await fs.mkdir(path.dirname(file), { recursive: true })
      await fs.writeFile(file, data)
      return file
    },
  }
}
