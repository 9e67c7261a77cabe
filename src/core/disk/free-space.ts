import fs from 'node:fs/promises'

/** Bytes that an ordinary user may still write on the disk of a folder. */
export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await fs.statfs(folder)
  return bavail * bsize
}

/** A size for people, in whole MiB, or in GiB from 10 GiB on. */
export function sizeText(bytes: number): string {
  const mib = bytes / 1024 ** 2
  return mib < 10_240 ? `${Math.floor(mib)} MiB` : `${Math.floor(mib / 1024)} GiB`
}
