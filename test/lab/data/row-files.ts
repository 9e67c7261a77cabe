import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll } from 'vitest'

/** A folder for the files of one test file, removed with its last test. `path` can be read once the tests run. */
export function rowFiles() {
  const files = {
    path: '',
    /** Writes a file of the folder. @returns its path */
    async write(name: string, data: string | Uint8Array): Promise<string> {
      const file = path.join(files.path, name)
      await fs.mkdir(path.dirname(file), { recursive: true })
      await fs.writeFile(file, data)
      return file
    },
  }
  beforeAll(async () => {
    files.path = await fs.mkdtemp(path.join(os.tmpdir(), 'attestd-rows-'))
  })
  afterAll(() => fs.rm(files.path, { recursive: true }))
  return files
}
