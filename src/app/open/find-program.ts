import fs from 'node:fs/promises'
import path from 'node:path'

/**
 * The absolute path of a program, searched as a shell would: a name on the search path, anything with a slash as a file.
 * @returns null where there is no such program that may be run
 */
export async function findProgram(program: string, searchPath = process.env.PATH ?? ''): Promise<string | null> {
  const folders = program.includes('/') ? [''] : searchPath.split(path.delimiter).filter((folder) => folder !== '')
  for (const folder of folders) {
    const file = path.resolve(folder, program)
    if (await isProgram(file)) return file
  }
  return null
}

async function isProgram(file: string): Promise<boolean> {
  try {
    await fs.access(file, fs.constants.X_OK)
    return (await fs.stat(file)).isFile()
  } catch {
    return false
  }
}
