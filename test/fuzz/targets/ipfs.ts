import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import * as dagPb from '@ipld/dag-pb'
import type { CID } from 'multiformats/cid'
import { systemClock } from '../../../src/core/clock.js'
import { silentLog } from '../../../src/core/log.js'
import { createMediaSource } from '../../../src/media/create-media-source.js'
import { type Block, cidOf, sha256Hex, someBytes, TestDag } from '../../media/support/dag.js'
import { type GatewayFaults, TestGateway } from '../../media/support/test-gateway.js'
import { mutatedBytes } from '../mutate/bytes.js'
import type { Chance } from '../mutate/chance.js'
import type { Target } from '../target.js'
import { judge } from '../verdict.js'

const CONTENT = someBytes(60_000)
const FETCH_MS = 8000
const BOUNDS = { limitMs: 3 * FETCH_MS, processorMs: 5000 }

/** CARs and UnixFS graphs, changed, through the real media source and a real gateway. */
export const ipfs: Target = {
  name: 'ipfs',
  counts: 'others',
  async open() {
    const dag = new TestDag()
    const roots = [
      await dag.add({ '': CONTENT }, { chunkBytes: 8000 }),
      await dag.add({ 'a/b.png': CONTENT, 'c.txt': someBytes(100) }, { chunkBytes: 20_000 }),
      await dag.add({ '': CONTENT }, { chunkBytes: 5000, rawLeaves: false }),
    ]
    return {
      async tryOne(chance) {
        const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'attestd-fuzz-ipfs-'))
        const { root, faults } = await hostile(dag, chance.pick(roots), chance)
        const sent: Uint8Array[] = []
        const gateway = await TestGateway.start(dag, recorded(faults, sent))
        const source = await createMediaSource({ ...options(gateway.url, folder) })
        const uri = `ipfs://${root}${chance.pick(['', '/a/b.png', '/c.txt', '/x'])}`
        try {
          const fetching = () => source.fetch({ uri, contentHash: sha256Hex(CONTENT) }).then((media) => media.release())
          const verdict = await judge(fetching, BOUNDS)
          return { input: Buffer.concat(sent), ending: 'car', verdicts: [verdict] }
        } finally {
          await source.close()
          await gateway.stop()
          await fs.rm(folder, { recursive: true, force: true })
        }
      },
      close: async () => {},
    }
  },
}

function options(url: string, cacheDir: string): Parameters<typeof createMediaSource>[0] {
  return {
    gateways: [url],
    hedgeMs: FETCH_MS,
    maxBytes: 1024 * 1024,
    timeoutMs: FETCH_MS,
    connections: 64,
    inFlightBytes: 64 * 1024 * 1024,
    maxRedirects: 3,
    idleMs: FETCH_MS,
    cacheDir,
    cacheBytes: 64 * 1024 * 1024,
    contentHash: 'sha256',
    clock: systemClock,
    random: () => 0.5,
    log: silentLog,
  }
}

/** A gateway that lies about bytes, or a graph whose hashes are right and whose nodes are not. */
async function hostile(dag: TestDag, root: CID, chance: Chance): Promise<{ root: CID; faults: GatewayFaults }> {
  const changed = (bytes: Uint8Array) => mutatedBytes(Buffer.from(bytes), chance, chance.bytes(300))
  switch (chance.below(4)) {
    case 0:
      return { root, faults: { carBytes: changed } }
    case 1:
      return { root, faults: { noCar: true, rawBytes: changed } }
    case 2:
      return { root, faults: { carBlocks: (blocks) => shuffled(blocks, chance) } }
    default: {
      const bytes = changed(await dag.get(root))
      const block = { cid: cidOf(bytes, dagPb.code), bytes }
      await dag.store.put(block.cid, bytes)
      // Its links may lead anywhere, so the gateway sends this block and those of the graph that it was made of.
      const rest = await dag.carBlocks(root, []).catch(() => [])
      return { root: block.cid, faults: { answer: sends([block, ...rest.slice(1)]) } }
    }
  }
}

function shuffled(blocks: Block[], chance: Chance): Block[] {
  const some = blocks.filter(() => chance.happens(0.9))
  return [...some, ...some.filter(() => chance.happens(0.2))].sort(() => chance.next() - 0.5)
}

/** Sends single blocks as they are asked for, and no CAR. */
function sends(blocks: readonly Block[]): NonNullable<GatewayFaults['answer']> {
  return (request, response) => {
    const url = new URL(request.url ?? '/', 'http://gateway')
    const block = blocks.find(({ cid }) => url.pathname.split('/')[2] === cid.toString())
    const isRaw = url.searchParams.get('format') === 'raw' && block !== undefined
    response.writeHead(isRaw ? 200 : 406, { 'content-type': 'application/vnd.ipld.raw' })
    response.end(isRaw ? block.bytes : '')
    return true
  }
}

/** Keeps what is sent. */
function recorded(faults: GatewayFaults, sent: Uint8Array[]): GatewayFaults {
  const keep = <T extends Uint8Array>(bytes: T): T => {
    sent.push(bytes)
    return bytes
  }
  const { carBytes, rawBytes } = faults
  return {
    ...faults,
    carBytes: (bytes) => keep(carBytes?.(bytes) ?? bytes),
    rawBytes: (bytes) => keep(rawBytes?.(bytes) ?? bytes),
  }
}
