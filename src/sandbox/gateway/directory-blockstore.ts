import path from 'node:path'
import { BaseBlockstore } from 'blockstore-core'
import { base32 } from 'multiformats/bases/base32'
import type { CID } from 'multiformats/cid'
import { makeFolder } from '../../core/disk/make-folder.js'
import { readFileIfPresent, writeFileAtomic } from '../../core/files.js'

type BlockBytes = Uint8Array | Iterable<Uint8Array> | AsyncIterable<Uint8Array>

/** Blocks as files of one directory, named by multihash, so that media outlives the process. */
export class DirectoryBlockstore extends BaseBlockstore {
  readonly #directory: string

  constructor(directory: string) {
    super()
    this.#directory = directory
  }

  static async open(directory: string): Promise<DirectoryBlockstore> {
    await makeFolder(directory)
    return new DirectoryBlockstore(directory)
  }

  override async put(cid: CID, bytes: BlockBytes): Promise<CID> {
    await writeFileAtomic(this.#fileOf(cid), await joined(bytes))
    return cid
  }

  override async *get(cid: CID): AsyncGenerator<Uint8Array> {
    const bytes = await readFileIfPresent(this.#fileOf(cid))
    if (bytes === null) throw Object.assign(new Error('Not Found'), { name: 'NotFoundError' })
    yield bytes
  }

  override async has(cid: CID): Promise<boolean> {
    return (await readFileIfPresent(this.#fileOf(cid))) !== null
  }

  #fileOf(cid: CID): string {
    return path.join(this.#directory, base32.encode(cid.multihash.bytes))
  }
}

/** A block of any store in one piece, or null where the store lacks it. */
export async function readBlock(blocks: BaseBlockstore, cid: CID): Promise<Uint8Array | null> {
  try {
    return await joined(blocks.get(cid))
  } catch (error) {
    if ((error as Error).name === 'NotFoundError') return null
    throw error
  }
}

async function joined(bytes: BlockBytes): Promise<Uint8Array> {
  if (bytes instanceof Uint8Array) return bytes
  const parts: Uint8Array[] = []
  for await (const part of bytes) parts.push(part)
  return parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts)
}
