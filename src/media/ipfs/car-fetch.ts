import { asyncIterableReader, type BytesReader, readBlockHead, readHeader } from '@ipld/car/decoder'
import type { CID } from 'multiformats/cid'
import { AttestdError } from '../../core/errors.js'
import type { IpfsUri } from '../uri.js'
import { bodyChunks, HttpStatusError } from '../web/http-get.js'
import { checkBlock, integrity, MAX_BLOCK_BYTES } from './block-check.js'
import { type ByteBudget, type Gateway, type GatewayHttp, ipfsPath } from './gateway.js'

/** A block whose bytes were checked against its CID. */
export interface CarBlock {
  readonly cid: CID
  readonly bytes: Uint8Array
}

/** A CAR as it arrives; every block that comes out of it is verified. */
export interface CarStream {
  /** Ends with the CAR, be it clean or a cut. @throws AttestdError media-integrity, media-timeout */
  readonly blocks: AsyncIterator<CarBlock, void>
  close(): void
}

const CAR_TYPE = 'application/vnd.ipld.car'
/** Depth first with repeats, so that blocks come in the order in which the file is read. */
const CAR_ACCEPT = `${CAR_TYPE}; version=1; order=dfs; dups=y`
/** Answers of gateways that do not know the CAR format. */
const UNSUPPORTED_STATUS = new Set([400, 405, 406, 415, 501])
/** A path that may not exist: block by block, the directory itself reports it. */
const PATH_NOT_FOUND = 404
/** Room for a CID and its length in addition to a block, bytes. */
const MAX_SECTION_BYTES = MAX_BLOCK_BYTES + 512

/** Asks a gateway for the graph below a URI as one CAR. @returns null where it has no CARs, or not the path */
export async function openCar(
  http: GatewayHttp,
  gateway: Gateway,
  { cid, path }: IpfsUri,
  budget: ByteBudget,
  signal: AbortSignal,
): Promise<CarStream | null> {
  const target = `${ipfsPath(cid, path)}?format=car&dag-scope=all`
  const reply = await http.get(gateway, target, CAR_ACCEPT, signal).catch((error: unknown) => {
    if (!(error instanceof HttpStatusError)) throw error
    if (UNSUPPORTED_STATUS.has(error.status) || (error.status === PATH_NOT_FOUND && path.length > 0)) return null
    throw error
  })
  if (reply === null) return null
  if (!reply.contentType.startsWith(CAR_TYPE)) {
    reply.body.destroy()
    return null
  }
  return { blocks: readCar(budget(bodyChunks(reply, signal))), close: () => reply.body.destroy() }
}

/** Decodes and verifies a CAR from its bytes. */
async function* readCar(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<CarBlock, void> {
  const reader = cappedReader(asyncIterableReader(chunks))
  try {
    await readHeader(reader, 1)
    while ((await reader.upTo(8)).length > 0) {
      const { cid, blockLength } = await readBlockHead(reader)
      const bytes = await reader.exactly(blockLength, true)
      checkBlock(cid, bytes)
      yield { cid, bytes }
    }
  } catch (error) {
    if (isCut(error)) return
    throw error instanceof AttestdError ? error : integrity(`its CAR does not decode (${String(error)})`)
  }
}

/** A CAR that ends early can still be completed block by block. */
function isCut(error: unknown): boolean {
  if (error instanceof AttestdError) return error.reason === 'media-unreachable'
  return error instanceof Error && error.message === 'Unexpected end of data'
}

/** The decoder buffers whatever length a section states, so lengths are capped before it does. */
function cappedReader(reader: BytesReader): BytesReader {
  return {
    upTo: (length) => reader.upTo(length),
    exactly: (length, seek) => {
      if (!(length >= 0 && length <= MAX_SECTION_BYTES)) throw integrity(`a section of ${length} bytes is over the cap`)
      return reader.exactly(length, seek)
    },
    seek: (length) => reader.seek(length),
    get pos() {
      return reader.pos
    },
  }
}
