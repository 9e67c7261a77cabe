import type { CID } from 'multiformats/cid'
import { checkBlock, integrity, MAX_BLOCK_BYTES } from './block-check.js'
import type { ByteBudget } from './byte-budget.js'
import { type Gateway, type GatewayHttp, ipfsPath } from './gateway.js'
import { bodyChunks } from './http-get.js'

/** One block by itself (`?format=raw`), verified. @throws media-* */
export async function fetchBlock(
  http: GatewayHttp,
  gateway: Gateway,
  cid: CID,
  budget: ByteBudget,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const reply = await http.get(gateway, `${ipfsPath(cid)}?format=raw`, 'application/vnd.ipld.raw', signal)
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of bodyChunks(reply, signal)) {
    bytes += chunk.length
    if (bytes > MAX_BLOCK_BYTES) throw integrity('a block is over the block cap')
    budget.take(chunk.length)
    chunks.push(chunk)
  }
  const block = Buffer.concat(chunks)
  checkBlock(cid, block)
  return block
}
