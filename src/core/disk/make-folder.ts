import fs from 'node:fs/promises'
import path from 'node:path'

/** Makes a folder with those above it. Node's own `recursive` never returns where one refuses ENOENT, as in /proc. */
export async function makeFolder(folder: string, mode = 0o777): Promise<void> {
  const make = () =>
    fs.mkdir(folder, { mode }).catch(async (error: NodeJS.ErrnoException) => {
      const isThere = error.code === 'EEXIST' && (await fs.stat(folder)).isDirectory()
      if (!isThere) throw error
    })
  try {
    await make()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    await makeFolder(path.dirname(folder), mode)
    await make()
  }
}
