import { createCipheriv, createHash } from 'node:crypto'
import * as dagPb from '@ipld/dag-pb'
import { MemoryBlockstore } from 'blockstore-core/memory'
import { walkPath } from 'ipfs-unixfs-exporter'
import { type ImporterOptions, importer } from 'ipfs-unixfs-importer'
import { fixedSize } from 'ipfs-unixfs-importer/chunker'
import { CID } from 'multiformats/cid'
import * as Digest from 'multiformats/hashes/digest'

export interface Block {
  readonly cid: CID
  readonly bytes: Uint8Array
}

/** Repeatable bytes that do not compress or repeat. */
export function someBytes(length: number, seed = 'seed'): Buffer {
  const key = createHash('sha256').update(seed).digest()
  return createCipheriv('aes-256-ctr', key, Buffer.alloc(16)).update(Buffer.alloc(length))
}

export function sha256Hex(bytes: Uint8Array): string {
  return `0x${createHash('sha256').update(bytes).digest('hex')}`
}

/** A CID of any codec for bytes. */
export function cidOf(bytes: Uint8Array, codec: number): CID {
  return CID.createV1(codec, Digest.create(0x12, createHash('sha256').update(bytes).digest()))
}

/** A block store for test graphs. */
export class TestDag {
  readonly store = new MemoryBlockstore()

  /** Imports files (a name for a directory, '' for a bare file) and gives the root CID. */
  async add(files: Record<string, Uint8Array>, options: ImporterOptions & { chunkBytes?: number } = {}): Promise<CID> {
    const { chunkBytes = 64 * 1024, ...rest } = options
    const entries = Object.entries(files).map(([path, content]) => (path === '' ? { content } : { path, content }))
    const wrap = !('' in files)
    let root: CID | undefined
    const source = importer(entries, this.store, {
      rawLeaves: true,
      cidVersion: 1,
      chunker: fixedSize({ chunkSize: chunkBytes }),
      wrapWithDirectory: wrap,
      ...rest,
    })
    for await (const entry of source) root = entry.cid
    return root!
  }

  async put(bytes: Uint8Array, codec: number): Promise<CID> {
    const cid = cidOf(bytes, codec)
    await this.store.put(cid, bytes)
    return cid
  }

  async get(cid: CID): Promise<Uint8Array> {
    const chunks: Uint8Array[] = []
    for await (const chunk of this.store.get(cid)) chunks.push(chunk)
    return Buffer.concat(chunks)
  }

  /** The blocks of a CAR for a path: those on the way, then the whole graph below, depth first with repeats. */
  async carBlocks(root: CID, path: readonly string[]): Promise<Block[]> {
    const blocks: Block[] = []
    const recorder = {
      get: (cid: CID) => {
        if (!blocks.some((block) => block.cid.equals(cid))) blocks.push({ cid, bytes: new Uint8Array() })
        return this.store.get(cid)
      },
    }
    let last = root
    for await (const entry of walkPath([root.toString(), ...path].join('/'), recorder)) last = entry.cid
    const seen = new Set(blocks.map((block) => block.cid.toString()))
    const filled = await Promise.all(blocks.map(async ({ cid }) => ({ cid, bytes: await this.get(cid) })))
    const below = await this.#below(last)
    return [...filled, ...(seen.has(last.toString()) ? below.slice(1) : below)]
  }

  async #below(cid: CID): Promise<Block[]> {
    const bytes = await this.get(cid)
    if (cid.code !== dagPb.code) return [{ cid, bytes }]
    const blocks: Block[] = [{ cid, bytes }]
    for (const link of dagPb.decode(bytes).Links) blocks.push(...(await this.#below(link.Hash)))
    return blocks
  }
}
