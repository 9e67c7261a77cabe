import { closeSync, constants, fstatSync, openSync } from 'node:fs'
import fs, { type FileHandle } from 'node:fs/promises'

/**
 * Opens a regular file for reading. A named pipe would be waited for until somebody writes to it, a device has no end.
 * @param flags in addition to those for reading, such as `O_NOFOLLOW`
 * @throws the system's error, or one that states what it is
 */
export async function openRegularFile(file: string, flags = 0): Promise<FileHandle> {
  const handle = await fs.open(file, constants.O_RDONLY | constants.O_NONBLOCK | flags)
  if ((await handle.stat()).isFile()) return handle
  await handle.close()
  throw notRegular(file)
}

const notRegular = (file: string) => new Error(`${file} is a folder, a named pipe or a device, not a file`)

/** The same at once. @returns the descriptor, to be closed */
export function openRegularFileNow(file: string): number {
  const handle = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
  if (fstatSync(handle).isFile()) return handle
  closeSync(handle)
  throw notRegular(file)
}

/** The bytes of a regular file. @throws as `openRegularFile` */
export async function readRegularFile(file: string): Promise<Buffer> {
  const handle = await openRegularFile(file)
  try {
    return await handle.readFile()
  } finally {
    await handle.close()
  }
}
