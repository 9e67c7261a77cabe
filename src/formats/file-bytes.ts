import fs from 'node:fs'
import { openRegularFileNow } from '../core/disk/plain-files.js'

/** Read at once when a file is opened: the marks of most files lie here, and many small reads cost more than one. */
const HEAD_BYTES = 64 * 1024

/** A file that is read in pieces, none larger than what is asked for. */
export interface FileBytes {
  readonly size: number
  /** Up to `length` bytes from `offset`; fewer at the end of the file. */
  read(offset: number, length: number): Buffer<ArrayBuffer>
}

/**
 * Opens a file for the time of `use`. For use in detector processes, where waiting for the disk holds up nobody: handing
 * each read to another thread costs more than the read.
 * @throws as `openRegularFile`
 */
export async function withFileBytes<T>(file: string, use: (bytes: FileBytes) => T | Promise<T>): Promise<T> {
  const handle = openRegularFileNow(file)
  try {
    const { size } = fs.fstatSync(handle)
    const fromFile = (offset: number, length: number) => {
      const buffer = Buffer.alloc(length)
      return buffer.subarray(0, fs.readSync(handle, buffer, 0, length, offset))
    }
    const head = fromFile(0, Math.min(HEAD_BYTES, size))
    return await use({
      size,
      read(offset, length) {
        const end = Math.min(size, offset + length)
        if (end <= head.length) return head.subarray(offset, Math.max(offset, end))
        return fromFile(offset, Math.max(0, end - offset))
      },
    })
  } finally {
    fs.closeSync(handle)
  }
}
