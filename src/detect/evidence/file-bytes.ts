import fs from 'node:fs/promises'

/** A file that is read in pieces, none larger than what is asked for. */
export interface FileBytes {
  readonly size: number
  /** Up to `length` bytes from `offset`; fewer at the end of the file. */
  read(offset: number, length: number): Promise<Buffer<ArrayBuffer>>
}

/** Opens a file for the time of `use`. */
export async function withFileBytes<T>(file: string, use: (bytes: FileBytes) => Promise<T>): Promise<T> {
  const handle = await fs.open(file, 'r')
  try {
    const { size } = await handle.stat()
    return await use({
      size,
      async read(offset, length) {
        const wanted = Math.max(0, Math.min(length, size - offset))
        const { bytesRead, buffer } = await handle.read(Buffer.alloc(wanted), 0, wanted, offset)
        return buffer.subarray(0, bytesRead)
      },
    })
  } finally {
    await handle.close()
  }
}
