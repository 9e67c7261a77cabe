import * as dagPb from '@ipld/dag-pb'
import { exporter, type UnixFSEntry, type UnixFSFile, walkPath } from 'ipfs-unixfs-exporter'
import type { CID } from 'multiformats/cid'
import { AttestdError, errorText } from '../../core/errors.js'
import { tooLarge } from '../cache/spool.js'
import type { IpfsUri } from '../uri.js'
import { isReadableCodec } from './block-check.js'
import type { VerifiedBlocks } from './verified-blocks.js'

/** Deepest file graph; 174 links a node reach 10^17 blocks at depth 8. */
const MAX_DEPTH = 32
/** Largest fan-out of a sharded directory (boxo's limit); a power of two. */
const MAX_FANOUT = 1024n

/**
 * The bytes of the file that a URI names, in order and one block at a time. The exporter decodes nodes and walks
 * directories; the walk through a file is our own, because the exporter believes the sizes that nodes state, and
 * reads ahead without bound. Here a node whose stated sizes are not those of its children is refused.
 * @throws AttestdError uri-unsupported for directories, symlinks and missing paths; media-corrupt; media-too-large; what `blocks` throws
 */
export async function* readUnixfsFile(
  uri: IpfsUri,
  blocks: VerifiedBlocks,
  maxBytes: number,
): AsyncGenerator<Uint8Array> {
  blocks.expect([uri.cid])
  const cid = await resolvePath(uri, blocks)
  const root = await load(cid, blocks)
  if (root.type === 'directory') throw unsupported('it names a directory, not a file')
  if (root.type === 'file' && root.unixfs.type === 'symlink') throw unsupported('it names a symbolic link')
  if (sizeOf(root) > BigInt(maxBytes)) throw tooLarge(maxBytes)
  yield* readEntry(root, blocks, 0)
}

async function resolvePath(uri: IpfsUri, blocks: VerifiedBlocks): Promise<CID> {
  let cid = uri.cid
  for (const segment of uri.path) {
    const entry = await load(cid, blocks)
    if (entry.type !== 'directory') throw unsupported('its path goes on below a file')
    checkFanout(entry.unixfs.fanout)
    cid = await findInDirectory(cid, segment, blocks)
  }
  return cid
}

async function findInDirectory(directory: CID, name: string, blocks: VerifiedBlocks): Promise<CID> {
  let found: CID | undefined
  try {
    const expecting = { get: (cid: CID) => expectLinksOf(cid, blocks) }
    for await (const entry of walkPath(`${directory.toString()}/${name}`, expecting)) found = entry.cid
  } catch (error) {
    if (error instanceof Error && error.name === 'NotFoundError') throw unsupported('nothing is at its path')
    throw asCorrupt(error)
  }
  if (!found || found.equals(directory)) throw unsupported('nothing is at its path')
  return found
}

/** The inner nodes of a sharded directory are read by the exporter itself, so their links are made known on the way. */
async function* expectLinksOf(cid: CID, blocks: VerifiedBlocks): AsyncGenerator<Uint8Array> {
  const bytes = await blocks.read(cid)
  if (cid.code === dagPb.code) blocks.expect(dagPb.decode(bytes).Links.map((link) => link.Hash))
  yield bytes
}

/** The exporter takes logarithms and allocates by this number, which comes from the node. */
function checkFanout(fanout: bigint | undefined): void {
  if (fanout === undefined) return
  const isPowerOfTwo = fanout >= 8n && (fanout & (fanout - 1n)) === 0n
  if (!isPowerOfTwo || fanout > MAX_FANOUT) throw corrupt(`a sharded directory states a fan-out of ${fanout}`)
}

async function load(cid: CID, blocks: VerifiedBlocks): Promise<UnixFSEntry> {
  if (!isReadableCodec(cid)) throw unsupported(`it leads to codec 0x${cid.code.toString(16)}`)
  try {
    const entry = await exporter(cid, blocks)
    if (entry.type === 'file' || entry.type === 'directory') blocks.expect(entry.node.Links.map((link) => link.Hash))
    return entry
  } catch (error) {
    throw asCorrupt(error)
  }
}

async function* readEntry(entry: UnixFSEntry, blocks: VerifiedBlocks, depth: number): AsyncGenerator<Uint8Array> {
  if (depth > MAX_DEPTH) throw corrupt('its graph is too deep')
  if (entry.type === 'raw') yield entry.node
  else if (entry.type === 'file') yield* readFileNode(entry, blocks, depth)
  else throw corrupt(`its graph holds a ${entry.type} where file data belongs`)
}

async function* readFileNode(entry: UnixFSFile, blocks: VerifiedBlocks, depth: number): AsyncGenerator<Uint8Array> {
  const { unixfs, node } = entry
  const links = node.Links.map((link) => link.Hash)
  if (unixfs.type !== 'file' && unixfs.type !== 'raw') throw corrupt(`its graph holds a ${unixfs.type} node`)
  if (links.length !== unixfs.blockSizes.length) throw corrupt('a node states sizes for other links than it has')
  if (unixfs.data?.length) yield unixfs.data
  for (const [index, link] of links.entries()) {
    blocks.prefetch(links, index)
    const child = await load(link, blocks)
    const stated = unixfs.blockSizes[index]!
    // Empty children carry nothing and could be nested without end, so they are refused with the wrong ones.
    if (stated === 0n || sizeOf(child) !== stated) {
      throw corrupt(`a node states ${stated} bytes for a child of ${sizeOf(child)}`)
    }
    yield* readEntry(child, blocks, depth + 1)
  }
}

function sizeOf(entry: UnixFSEntry): bigint {
  if (entry.type === 'file') return entry.unixfs.fileSize()
  return entry.type === 'raw' ? BigInt(entry.node.length) : 0n
}

const asCorrupt = (error: unknown): unknown => (error instanceof AttestdError ? error : corrupt(errorText(error)))

const corrupt = (why: string): AttestdError =>
  new AttestdError('media-corrupt', `The content of the CID is not a readable UnixFS file: ${why}.`)

const unsupported = (why: string): AttestdError =>
  new AttestdError('uri-unsupported', `The URI of the asset does not lead to a file: ${why}.`)
