import fs from 'node:fs/promises'
import path from 'node:path'

/**
 * Makes a folder with those above it; one that exists stays as it is. Node's own `recursive` never returns where a folder
 * exists and yet refuses another in it as ENOENT, as those of /proc do.
 * @throws the system's error
 */
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
