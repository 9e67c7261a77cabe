import fs from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { deserialize, serialize } from 'node:v8'
import { gunzip, gzip } from 'node:zlib'
import { makeFolder } from '../../core/disk/make-folder.js'

/** Path below the directory, and what is in the file; null for a directory. Parents come before what is in them. */
type Entry = readonly [name: string, content: Uint8Array | null]

/** Files that are written at a time. */
const AT_A_TIME = 32
/** Longest piece that is unpacked at once, bytes: an empty database has 41 MB. */
const MAX_PIECE = 64 * 1024 ** 2

export async function packDirectory(directory: string): Promise<Buffer> {
  const found = await fs.readdir(directory, { recursive: true, withFileTypes: true })
  const names = found.map((each) => [path.join(each.parentPath, each.name), each.isDirectory()] as const)
  const entries: Entry[] = []
  for (const [file, isDirectory] of names.toSorted(([a], [b]) => (a < b ? -1 : 1)))
    entries.push([path.relative(directory, file), isDirectory ? null : await fs.readFile(file)])
  return promisify(gzip)(serialize(entries))
}

/**
 * Writes a packed directory out again, for this user alone.
 * @param fsync whether every file is on the disk when this resolves
 */
export async function unpackDirectory(packed: Uint8Array, directory: string, fsync: boolean): Promise<void> {
  // In one piece: joining pieces of the usual size takes twice the processor time again.
  const entries = deserialize(await promisify(gunzip)(packed, { chunkSize: MAX_PIECE })) as Entry[]
  await makeFolder(directory, 0o700)
  for (const [name, content] of entries)
    if (content === null) await fs.mkdir(path.join(directory, name), { mode: 0o700 })
  const files = entries.values()
  const write = async () => {
    for (const [name, content] of files)
      if (content !== null) await fs.writeFile(path.join(directory, name), content, { mode: 0o600, flush: fsync })
  }
  await Promise.all(Array.from({ length: AT_A_TIME }, write))
}
