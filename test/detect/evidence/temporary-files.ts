import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll } from 'vitest'

/** Writes bytes to files that are removed after the tests of a file; call it at its top. */
export function temporaryFiles(): (bytes: Buffer) => Promise<string> {
  let folder: string
  beforeAll(async () => {
    folder = await fs.mkdtemp(path.join(os.tmpdir(), 'attestd-blocks-'))
  })
  afterAll(() => fs.rm(folder, { recursive: true }))
  return async (bytes) => {
    const file = path.join(await fs.mkdtemp(path.join(folder, 'case-')), 'file')
    await fs.writeFile(file, bytes)
    return file
  }
}
