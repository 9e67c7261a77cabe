import { closeSync, mkdirSync, openSync } from 'node:fs'
import fs from 'node:fs/promises'
import path from 'node:path'
import { AttestdError, errorText } from '../../core/errors.js'
import { writeOpen } from '../../core/files.js'
import { createContentHasher } from '../content-hash.js'
import type { ContentHashAlgorithm } from '../media-source.js'

/** A file that was written whole and hashed; whether its digest is the stated one is for the caller to compare. */
export interface Spooled {
  readonly file: string
  readonly bytes: number
  /** `0x` and 64 hex characters. */
  readonly digest: string
}

/** How a stream is hashed, and the size at which it is refused as `media-too-large`, bytes. */
export interface SpoolOptions {
  readonly algorithm: ContentHashAlgorithm
  readonly maxBytes: number
}

/**
 * Writes a stream to a file while hashing it, one chunk in memory at a time. The file is gone when this throws. As in
 * `writeTo`, the writes alone go through the thread pool.
 * @throws AttestdError media-empty, media-too-large, media-cache-failed, and whatever the stream throws
 */
export async function spool(
  source: AsyncIterable<Uint8Array>,
  file: string,
  { algorithm, maxBytes }: SpoolOptions,
): Promise<Spooled> {
  // Nobody writes to it again: only this handle may.
  const handle = await onDisk(() => inFolderOf(file, () => openSync(file, 'wx', 0o400)))
  const hasher = createContentHasher(algorithm)
  let bytes = 0
  try {
    try {
      for await (const chunk of source) {
        bytes += chunk.length
        if (bytes > maxBytes) throw tooLarge(maxBytes)
        await onDisk(() => writeOpen(handle, chunk))
        await hasher.update(chunk)
      }
    } finally {
      await onDisk(() => closeSync(handle))
    }
    if (bytes === 0) throw new AttestdError('media-empty')
  } catch (error) {
    await fs.rm(file, { force: true }).catch(() => {})
    throw error
  }
  return { file, bytes, digest: hasher.digest() }
}

/** Removes what is of no use: another attempt was faster, or its digest is not the stated one. Never throws. */
export async function removeSpooled({ file }: Spooled): Promise<void> {
  await fs.rm(file, { force: true }).catch(() => {})
}

/** The refusal of media over the cap. */
export const tooLarge = (maxBytes: number): AttestdError =>
  new AttestdError('media-too-large', `The media is larger than the cap of ${maxBytes} bytes.`)

/** Does a disk operation and names its failure media-cache-failed. */
export async function onDisk<T>(operation: () => T | Promise<T>): Promise<T> {
  try {
    return await operation()
  } catch (error) {
    throw diskFailure(error)
  }
}

/**
 * Makes a file, and before that its folder if it is not there: it is new, or somebody emptied the data directory. At once,
 * see `requireFolder`.
 */
export function inFolderOf<T>(file: string, make: () => T): T {
  try {
    return make()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
    return make()
  }
}

function diskFailure(error: unknown): AttestdError {
  const code = (error as NodeJS.ErrnoException).code ?? 'unknown'
  return new AttestdError('media-cache-failed', `The media cache failed on disk: ${errorText(error)}.`, {
    cause: error,
    facts: { code },
  })
}
