import type { ReadableStorage } from 'ipfs-unixfs-exporter'
import { LRUCache } from 'lru-cache'
import type { CID } from 'multiformats/cid'
import { AttestdError } from '../../core/errors.js'
import { blockKey, inlineBytes, integrity, isVerifiableHash } from './block-check.js'
import type { CarStream } from './car-fetch.js'

/** Where the blocks of one file come from: a CAR in reading order, and single blocks for what it lacks. */
export interface VerifiedBlocksOptions {
  /** Starts a CAR; null where there is none and each block is fetched by itself. Called when the first block is needed. */
  readonly openCar: () => Promise<CarStream | null>
  readonly fetchBlock: (cid: CID) => Promise<Uint8Array>
  /** Of the file. */
  readonly maxBytes: number
  /** Called with the size of every verified block that arrived. */
  readonly onBlock?: (bytes: number) => void
}

/** Blocks kept because the same one may be linked again (CARs without repeats) or read twice on a path, bytes. */
const RECENT_BYTES = 8 * 1024 * 1024
/** Blocks that a CAR brought before their turn, bytes. */
const EARLY_BYTES = 16 * 1024 * 1024
/** Blocks fetched ahead of their turn where there is no CAR. */
const AHEAD = 4
/** Share of the file's size that the nodes of its graph may add, and bytes on top: half of what a gateway may send for it. */
const OVERHEAD_SHARE = 1 / 16
const OVERHEAD_BYTES = 8 * 1024 * 1024
/** Links that one file may have, all nodes together; 2 million blocks of 256 KiB are 512 GB. */
const MAX_LINKS = 2_000_000

/**
 * The block store that the UnixFS exporter reads from. It holds no block that was not verified, takes from a CAR only
 * blocks that a verified node links to, and fetches one by one what the CAR does not contain.
 */
export class VerifiedBlocks implements ReadableStorage {
  readonly #options: VerifiedBlocksOptions
  /** Undefined before it was opened, null when there is none or it has ended. */
  #car: CarStream | null | undefined
  /** Keys of blocks that verified nodes link to; anything else in a CAR is junk. */
  readonly #linked = new Set<string>()
  readonly #recent = shelf(RECENT_BYTES)
  readonly #early = shelf(EARLY_BYTES)
  readonly #ahead = new Map<string, Promise<Uint8Array>>()
  #readBytes = 0

  constructor(options: VerifiedBlocksOptions) {
    this.#options = options
  }

  async *get(cid: CID): AsyncGenerator<Uint8Array> {
    yield await this.read(cid)
  }

  async read(cid: CID): Promise<Uint8Array> {
    if (!isVerifiableHash(cid)) {
      throw new AttestdError('uri-unsupported', 'The URI leads to blocks whose hashes cannot be verified.')
    }
    const inline = inlineBytes(cid)
    if (inline) return inline
    const key = blockKey(cid)
    const bytes =
      this.#recent.get(key) ?? this.#early.get(key) ?? (await this.#fromCar(key)) ?? (await this.#single(cid, key))
    this.#early.delete(key)
    this.#recent.set(key, bytes)
    this.#readBytes += bytes.length
    // Of blocks that verify, whoever made the graph is to blame, no gateway.
    if (this.#readBytes > this.#options.maxBytes * (1 + OVERHEAD_SHARE) + OVERHEAD_BYTES)
      throw new AttestdError('media-corrupt', 'The blocks of the media hold far more than its file.')
    return bytes
  }

  /** Names the blocks that a verified node links to, in the order in which they will be read. */
  expect(cids: readonly CID[]): void {
    for (const cid of cids) this.#linked.add(blockKey(cid))
    if (this.#linked.size > MAX_LINKS) throw new AttestdError('media-corrupt', 'The media has too many blocks.')
  }

  /** Starts fetching the next few of these blocks, from `index` on, where no CAR contains them. */
  prefetch(cids: readonly CID[], index: number): void {
    if (this.#car !== null) return
    for (const cid of cids.slice(index, index + AHEAD)) {
      const key = blockKey(cid)
      if (!isVerifiableHash(cid) || inlineBytes(cid) || this.#ahead.has(key) || this.#recent.get(key)) continue
      const block = this.#options.fetchBlock(cid)
      // Whoever reads the block sees the failure; until then it must not be an unhandled one.
      block.catch(() => {})
      this.#ahead.set(key, block)
    }
  }

  close(): void {
    this.#car?.close()
  }

  async #fromCar(key: string): Promise<Uint8Array | null> {
    if (this.#car === undefined) this.#car = await this.#options.openCar()
    while (this.#car) {
      const { value: block } = await this.#car.blocks.next()
      if (!block) {
        this.#car = null
        return null
      }
      this.#options.onBlock?.(block.bytes.length)
      const found = blockKey(block.cid)
      if (found === key) return block.bytes
      if (inlineBytes(block.cid) || this.#recent.get(found)) continue
      if (!this.#linked.has(found)) throw integrity(`its CAR holds ${block.cid.toString()}, which nothing links to`)
      this.#early.set(found, block.bytes)
      if (this.#early.calculatedSize > EARLY_BYTES / 2) return null
    }
    return null
  }

  async #single(cid: CID, key: string): Promise<Uint8Array> {
    const ahead = this.#ahead.get(key)
    this.#ahead.delete(key)
    const bytes = await (ahead ?? this.#options.fetchBlock(cid))
    this.#options.onBlock?.(bytes.length)
    return bytes
  }
}

/** Blocks by their keys, in so many bytes: the one that was not used for longest goes first. */
const shelf = (maxSize: number) =>
  new LRUCache<string, Uint8Array>({ maxSize, sizeCalculation: ({ length }) => Math.max(1, length) })
