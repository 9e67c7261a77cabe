import fs from 'node:fs/promises'
import path from 'node:path'
import { folderForAll } from '../../support/temporary-folder.js'

/** Writes files of rows. @param folder @default one for all tests of the file */
export function rowFiles(folder = folderForAll()) {
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
