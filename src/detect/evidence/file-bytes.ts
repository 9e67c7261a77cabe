import fs from 'node:fs/promises'

/** Read at once when a file is opened: the marks of most files lie here, and many small reads cost more than one. */
const HEAD_BYTES = 64 * 1024

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
    const fromFile = async (offset: number, length: number) => {
      const { bytesRead, buffer } = await handle.read(Buffer.alloc(length), 0, length, offset)
      return buffer.subarray(0, bytesRead)
    }
    const head = await fromFile(0, Math.min(HEAD_BYTES, size))
    return await use({
      size,
      async read(offset, length) {
        const end = Math.min(size, offset + length)
        if (end <= head.length) return head.subarray(offset, Math.max(offset, end))
        return fromFile(offset, Math.max(0, end - offset))
      },
    })
  } finally {
    await handle.close()
  }
}
