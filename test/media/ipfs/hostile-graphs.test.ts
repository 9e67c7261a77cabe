import * as dagPb from '@ipld/dag-pb'
import { exporter } from 'ipfs-unixfs-exporter'
import { CID } from 'multiformats/cid'
import * as Digest from 'multiformats/hashes/digest'
import { expect, it } from 'vitest'
import { cidOf, sha256Hex, someBytes, TestDag } from '../support/dag.js'
import { failure, startGateway, startSource } from '../support/media-parts.js'

/** A real file root, changed: its links, and the sizes it states for them. */
async function changedRoot(
  dag: TestDag,
  change: (links: dagPb.PBLink[], sizes: bigint[]) => { links: dagPb.PBLink[]; sizes: bigint[] },
): Promise<CID> {
  const entry = await exporter(await dag.add({ '': someBytes(400_000) }), dag.store)
  if (entry.type !== 'file') throw new Error('the test file has one block only')
  const { links, sizes } = change([...entry.node.Links], [...entry.unixfs.blockSizes])
  entry.unixfs.blockSizes = sizes
  return dag.put(dagPb.encode({ Data: entry.unixfs.marshal(), Links: links }), dagPb.code)
}

/** A UnixFS node of any type, hand-written protobuf: field 1 is the type, field 6 the fan-out. */
function unixfsData(type: number, fields: [field: number, value: bigint][] = []): Uint8Array {
  const bytes = [0x08, type]
  for (const [field, value] of fields) {
    bytes.push(field << 3)
    let rest = value
    for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128)
    bytes.push(Number(rest))
  }
  return Uint8Array.from(bytes)
}

const leaf = someBytes(1_000)
const leafCid = cidOf(leaf, 0x55)

const graphs: [name: string, build: (dag: TestDag) => Promise<string>, reason: string][] = [
  [
    'states 20 bytes for children that hold 400,000',
    async (dag) =>
      `${await changedRoot(dag, (links, sizes) => ({ links, sizes: sizes.map((_, i) => (i === 0 ? 20n : 1n)) }))}`,
    'media-corrupt',
  ],
  [
    'states more bytes than its children hold',
    async (dag) => `${await changedRoot(dag, (links, sizes) => ({ links, sizes: sizes.map((size) => size + 1n) }))}`,
    'media-corrupt',
  ],
  [
    'states an empty child',
    async (dag) => `${await changedRoot(dag, (links, sizes) => ({ links, sizes: [0n, ...sizes.slice(1)] }))}`,
    'media-corrupt',
  ],
  [
    'holds an empty child',
    async (dag) => {
      const empty = await dag.put(new Uint8Array(), 0x55)
      const root = await changedRoot(dag, (links, sizes) => ({
        links: [link(empty), ...links],
        sizes: [0n, ...sizes],
      }))
      return `${root}`
    },
    'media-corrupt',
  ],
  [
    'states sizes for fewer links than it has',
    async (dag) => `${await changedRoot(dag, (links, sizes) => ({ links, sizes: sizes.slice(1) }))}`,
    'media-corrupt',
  ],
  [
    'states a petabyte',
    async (dag) => `${await changedRoot(dag, (links, sizes) => ({ links, sizes: [1n << 50n, ...sizes.slice(1)] }))}`,
    'media-too-large',
  ],
  [
    'links to a hash that cannot be verified',
    async (dag) => {
      const strange = CID.createV1(0x55, Digest.create(0x13, new Uint8Array(64)))
      return `${await changedRoot(dag, ([first, ...links], sizes) => ({ links: [{ ...first!, Hash: strange }, ...links], sizes }))}`
    },
    'uri-unsupported',
  ],
  [
    'links to data of another codec',
    async (dag) => {
      const strange = await dag.put(leaf, 0x71)
      return `${await changedRoot(dag, ([first, ...links], sizes) => ({ links: [{ ...first!, Hash: strange }, ...links], sizes }))}`
    },
    'uri-unsupported',
  ],
  [
    'holds a directory where data belongs',
    async (dag) => {
      const directory = await dag.add({ 'a/b': leaf })
      return `${await changedRoot(dag, ([first, ...links], sizes) => ({ links: [{ ...first!, Hash: directory }, ...links], sizes }))}`
    },
    'media-corrupt',
  ],
  [
    'nests without end',
    async (dag) => {
      let child = leafCid
      for (let depth = 0; depth < 40; depth += 1) {
        const Data = unixfsData(2, [
          [3, 1000n],
          [4, 1000n],
        ])
        child = await dag.put(dagPb.encode({ Data, Links: [link(child)] }), dagPb.code)
      }
      return `${child}`
    },
    'media-corrupt',
  ],
  [
    'is a symbolic link',
    async (dag) => `${await dag.put(dagPb.encode({ Data: unixfsData(4), Links: [] }), dagPb.code)}`,
    'uri-unsupported',
  ],
  [
    'is a metadata node',
    async (dag) => `${await dag.put(dagPb.encode({ Data: unixfsData(3), Links: [] }), dagPb.code)}`,
    'media-corrupt',
  ],
  ['has no UnixFS data', async (dag) => `${await dag.put(dagPb.encode({ Links: [] }), dagPb.code)}`, 'media-corrupt'],
  ['is not dag-pb', async (dag) => `${await dag.put(someBytes(100), dagPb.code)}`, 'media-corrupt'],
  ...[1n, 3n, 1n << 20n, 1n << 60n].map((fanout): [string, (dag: TestDag) => Promise<string>, string] => [
    `is a shard with a fan-out of ${fanout}`,
    async (dag) => `${await shard(dag, fanout, ['00a', 'FFb'])}/b`,
    'media-corrupt',
  ]),
  [
    'is a shard whose link names are not hexadecimal',
    async (dag) => `${await shard(dag, 256n, ['zz', '!!', '', 'x', '-1', '0x'])}/name`,
    'uri-unsupported',
  ],
]

it.each(graphs)('a graph that hashes right and is wrong %s: refused', async (_, build, reason) => {
  const dag = new TestDag()
  await dag.put(leaf, 0x55)
  const path = await build(dag)
  // Block by block, since the test gateway's own CAR writer would choke on most of these.
  const gateway = await startGateway(dag, { noCar: true })
  const source = await startSource({ gateways: [gateway.url] })
  const error = await failure(source.fetch({ uri: `ipfs://${path}`, contentHash: sha256Hex(leaf) }))
  expect(`${error.reason}: ${error.message}`).toContain(reason)
  expect(source.events.filter((event) => event.type === 'gateway' && event.outcome !== 'ok')).toEqual([])
})

function link(Hash: CID, Name = ''): dagPb.PBLink {
  return { Hash, Name, Tsize: 10 }
}

async function shard(dag: TestDag, fanout: bigint, names: string[]): Promise<CID> {
  const Data = unixfsData(5, [
    [5, 0x22n],
    [6, fanout],
  ])
  // Data bytes (the bitfield) are required of a shard.
  const withBitfield = Buffer.concat([Data.subarray(0, 2), Buffer.from([0x12, 1, 0xff]), Data.subarray(2)])
  const Links = names
    .map((name) => link(leafCid, name))
    .sort((a, b) => Buffer.compare(Buffer.from(a.Name!), Buffer.from(b.Name!)))
  return dag.put(dagPb.encode({ Data: withBitfield, Links }), dagPb.code)
}

it.each([false, true])(
  'a graph of padded nodes is refused, and no gateway is blamed for it (raw: %s)',
  async (noCar) => {
    const dag = new TestDag()
    const leaves = await Promise.all(
      Array.from({ length: 10 }, async (_, index) => {
        // A file of one byte, and 2 MB in a field that nobody reads.
        const padding = [0x7a, 0x80, 0x89, 0x7a, ...someBytes(2_000_000, `${index}`)]
        const data = Uint8Array.from([...unixfsData(2), 0x12, 1, index, 0x18, 1, ...padding])
        return dag.put(dagPb.encode({ Data: data, Links: [] }), dagPb.code)
      }),
    )
    const sizes = leaves.map((): [number, bigint] => [4, 1n])
    const root = await dag.put(
      dagPb.encode({
        Data: unixfsData(2, [[3, BigInt(leaves.length)], ...sizes]),
        Links: leaves.map((cid) => link(cid)),
      }),
      dagPb.code,
    )
    const gateway = await startGateway(dag, { noCar })
    const source = await startSource({ gateways: [gateway.url], maxBytes: 1_000_000 })
    const error = await failure(source.fetch({ uri: `ipfs://${root}`, contentHash: sha256Hex(leaf) }))
    expect(error).toMatchObject({ reason: 'media-corrupt', message: expect.stringContaining('far more than its file') })
    expect(source.events).toContainEqual({ type: 'gateway', gateway: new URL(gateway.url).host, outcome: 'ok' })
  },
)
