import fs from 'node:fs/promises'

/** Bytes of a file from an offset; fewer where it ends. */
export async function readAt(file: string, offset: number, length: number): Promise<Buffer> {
  const handle = await fs.open(file, 'r')
  try {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(length), 0, length, offset)
    return buffer.subarray(0, bytesRead)
  } finally {
    await handle.close()
  }
}
