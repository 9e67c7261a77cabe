import * as dagPb from '@ipld/dag-pb'
import type { BaseBlockstore } from 'blockstore-core'
import { exporter, walkPath } from 'ipfs-unixfs-exporter'
import { CID } from 'multiformats/cid'
import { identity } from 'multiformats/hashes/identity'
import { Refusal } from '../http/refusal.js'
import { readBlock } from './directory-blockstore.js'

/** How much of a DAG is sent. Source: IPIP-402, trustless gateway specification. */
export const DAG_SCOPES = ['all', 'entity', 'block'] as const
/** `entity`: a whole file, or of a directory what lists it; `block`: one block. The way to it comes with each. */
export type DagScope = (typeof DAG_SCOPES)[number]

/** One section of a CAR: the bytes and the CID by which a client checks them. A gateway fault may have spoiled them. */
export interface CarBlock {
  readonly cid: CID
  readonly bytes: Uint8Array
}

/** Where a content path leads: its target, and the blocks that prove the way from the root to it. */
export interface ResolvedPath {
  readonly root: CID
  readonly target: CID
  readonly way: readonly CarBlock[]
}

/** Follows a content path: a CID, and segments under it. Refuses with `cid-invalid` and `content-not-found`. */
export async function resolvePath(blocks: BaseBlockstore, contentPath: string): Promise<ResolvedPath> {
  const [first = '', ...segments] = contentPath.split('/').filter((segment) => segment !== '')
  const root = rootOf(first)
  const way: CarBlock[] = []
  const recording = {
    async *get(cid: CID): AsyncGenerator<Uint8Array> {
      const bytes = await presentBlock(blocks, cid)
      way.push({ cid, bytes })
      yield bytes
    },
  }
  let target = root
  try {
    for await (const entry of walkPath([root.toString(), ...segments].join('/'), recording)) target = entry.cid
  } catch (error) {
    if (error instanceof Refusal) throw error
    throw new Refusal('content-not-found', `The path does not lead anywhere under ${root.toString()}.`)
  }
  await presentBlock(blocks, target)
  return { root, target, way }
}

function rootOf(text: string): CID {
  try {
    return CID.parse(text)
  } catch {
    throw new Refusal('cid-invalid', 'The path does not begin with a CID.')
  }
}

async function presentBlock(blocks: BaseBlockstore, cid: CID): Promise<Uint8Array> {
  if (cid.multihash.code === identity.code) return cid.multihash.digest
  const bytes = await readBlock(blocks, cid)
  if (bytes === null) throw new Refusal('content-not-found', `No block ${cid.toString()} here.`)
  return bytes
}

/** A CAR's blocks, with duplicates: the way to the target, then it depth-first in link order. @throws if one lacks */
export async function* dagBlocks(
  blocks: BaseBlockstore,
  { way, target }: ResolvedPath,
  scope: DagScope,
): AsyncGenerator<CarBlock> {
  yield* way
  const isWhole = scope === 'all' || (scope === 'entity' && (await exporter(target, blocks)).type !== 'directory')
  const stack = [target]
  for (let cid = stack.pop(); cid !== undefined; cid = stack.pop()) {
    if (cid.multihash.code === identity.code) {
      // Its CID carries it; whoever asks for this block alone gets it still.
      if (scope === 'block') yield { cid, bytes: cid.multihash.digest }
      continue
    }
    const bytes = await readBlock(blocks, cid)
    if (bytes === null) throw new Error(`block ${cid.toString()} is missing`)
    yield { cid, bytes }
    if (isWhole) stack.push(...linksOf(cid, bytes).toReversed())
  }
}

const linksOf = (cid: CID, bytes: Uint8Array): CID[] =>
  cid.code === dagPb.code ? dagPb.decode(bytes).Links.map((link) => link.Hash) : []
