import fs from 'node:fs/promises'
import path from 'node:path'

/** Every file below a folder, relative, sorted. */
export async function filesBelow(folder: string): Promise<string[]> {
  const entries = await fs.readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .sort()
}

/** What they hold, byte for byte as text, by their names. */
export async function textsBelow(folder: string): Promise<Record<string, string>> {
  const files = await filesBelow(folder)
  const read = files.map(async (file) => [file, await fs.readFile(path.join(folder, file), 'latin1')] as const)
  return Object.fromEntries(await Promise.all(read))
}
