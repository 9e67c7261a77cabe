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
  const texts: Record<string, string> = {}
  // One after the other: a data directory has more files than a process may have open.
  for (const file of await filesBelow(folder)) texts[file] = await fs.readFile(path.join(folder, file), 'latin1')
  return texts
}
