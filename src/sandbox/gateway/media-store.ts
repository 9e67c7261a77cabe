import { createHash } from 'node:crypto'
import { keccak_256 } from '@noble/hashes/sha3.js'
import type { BaseBlockstore } from 'blockstore-core'
import { importer } from 'ipfs-unixfs-importer'
import { fixedSize } from 'ipfs-unixfs-importer/chunker'
import type { CID } from 'multiformats/cid'
import type { ContentHashAlgorithm } from '../../media/media-source.js'

/** How media becomes a DAG; the defaults are CID v1 with raw leaves. */
export interface ImportOptions {
  /** Puts the file into a UnixFS directory, so that its URI has a path. @default false */
  readonly wrap?: boolean
  /** @default 1 */
  readonly cidVersion?: 0 | 1
}

export class MediaStore {
  readonly blocks: BaseBlockstore
  readonly #algorithm: ContentHashAlgorithm
  readonly #chunkBytes: number

  constructor(options: { blocks: BaseBlockstore; algorithm: ContentHashAlgorithm; chunkBytes: number }) {
    this.blocks = options.blocks
    this.#algorithm = options.algorithm
    this.#chunkBytes = options.chunkBytes
  }

  /** @returns what an upload is answered with on both APIs; `bytes` is the size of the content, not that of its blocks */
  async add(content: Uint8Array, name: string, options: ImportOptions = {}) {
    const cidVersion = options.cidVersion ?? 1
    const wrap = options.wrap ?? false
    const entries = importer([{ path: safeName(name), content }], this.blocks, {
      cidVersion,
      rawLeaves: cidVersion === 1,
      wrapWithDirectory: wrap,
      chunker: fixedSize({ chunkSize: this.#chunkBytes }),
    })
    let root: CID | null = null
    for await (const entry of entries) root = entry.cid
    if (root === null) throw new Error('the importer made no root')
    const uri = `ipfs://${root.toString()}${wrap ? `/${encodeURIComponent(safeName(name))}` : ''}`
    return { contentHash: this.contentHashOf(content), uri, cid: root.toString(), bytes: content.byteLength }
  }

  contentHashOf(content: Uint8Array): string {
    const digest = this.#algorithm === 'keccak256' ? keccak_256(content) : createHash('sha256').update(content).digest()
    return `0x${Buffer.from(digest).toString('hex')}`
  }
}

/** A single path segment: what stands behind the last slash, never empty, `.` or `..`. */
function safeName(name: string): string {
  const last = name.split(/[/\\]/).at(-1) ?? ''
  return last === '' || last === '.' || last === '..' ? 'file' : last
}
