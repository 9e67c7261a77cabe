import fs from 'node:fs/promises'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { balanced } from 'ipfs-unixfs-importer/layout'
import { CID } from 'multiformats/cid'
import * as Digest from 'multiformats/hashes/digest'
import { describe, expect, it } from 'vitest'
import { filesBelow } from '../../support/files-below.js'
import { sha256Hex, someBytes, TestDag } from '../support/dag.js'
import { failure, startGateway, startSource } from '../support/media-parts.js'

const small = someBytes(1_000)
const large = someBytes(3_000_000)

describe('ipfs:// media', () => {
  const graphs: [name: string, build: (dag: TestDag) => Promise<string>, content: Buffer][] = [
    ['CIDv1 of one raw block', async (dag) => `ipfs://${await dag.add({ '': small })}`, small],
    ['CIDv1 of many blocks', async (dag) => `ipfs://${await dag.add({ '': large })}`, large],
    [
      'CIDv0 with wrapped leaves',
      async (dag) => `ipfs://${await dag.add({ '': large }, { cidVersion: 0, rawLeaves: false })}`,
      large,
    ],
    [
      'CIDv0 of one block',
      async (dag) => `ipfs://${await dag.add({ '': small }, { cidVersion: 0, rawLeaves: false })}`,
      small,
    ],
    [
      'a graph four levels deep',
      async (dag) =>
        `ipfs://${await dag.add({ '': large }, { layout: balanced({ maxChildrenPerNode: 4 }), chunkBytes: 50_000 })}`,
      large,
    ],
    [
      'blocks that repeat',
      async (dag) => `ipfs://${await dag.add({ '': Buffer.alloc(1_000_000, 7) })}`,
      Buffer.alloc(1_000_000, 7),
    ],
    [
      'a file in a directory',
      async (dag) => `ipfs://${await dag.add({ 'a/b/photo.jpg': large, 'a/c': small })}/a/b/photo.jpg`,
      large,
    ],
    [
      'a percent-encoded name',
      async (dag) => `ipfs://${await dag.add({ 'mein Bild #1 ü?.png': small })}/mein%20Bild%20%231%20%C3%BC%3F.png`,
      small,
    ],
    [
      'a file in a sharded directory',
      async (dag) => {
        const files = Object.fromEntries(
          Array.from({ length: 300 }, (_, i) => [`file-${i}.bin`, someBytes(40, `${i}`)]),
        )
        const root = await dag.add({ ...files, 'wanted.bin': large }, { shardSplitThresholdBytes: 10 })
        return `ipfs://${root}/wanted.bin`
      },
      large,
    ],
    ['ipfs://ipfs/CID', async (dag) => `ipfs://ipfs/${await dag.add({ '': small })}?filename=x.png#frag`, small],
  ]

  for (const noCar of [false, true]) {
    it.each(graphs)(`fetches %s (${noCar ? 'block by block' : 'as a CAR'})`, async (_, build, content) => {
      const dag = new TestDag()
      const gateway = await startGateway(dag, { noCar })
      const source = await startSource({ gateways: [gateway.url] })
      const media = await source.fetch({ uri: await build(dag), contentHash: sha256Hex(content) })
      expect(Buffer.compare(await fs.readFile(media.file), content)).toBe(0)
      expect(media).toMatchObject({ bytes: content.length })
      expect(gateway.methods).toEqual(new Set(['GET']))
      expect(gateway.requests.some((request) => request.includes('format=raw'))).toBe(noCar)
    })
  }

  it('reads an identity CID without a request', async () => {
    const gateway = await startGateway(new TestDag())
    const source = await startSource({ gateways: [gateway.url] })
    const content = Buffer.from('hello')
    const uri = `ipfs://${CID.createV1(0x55, Digest.create(0, content))}`
    expect(await source.fetch({ uri, contentHash: sha256Hex(content) })).toMatchObject({ bytes: 5 })
    expect(gateway.requests).toEqual([])
  })

  it('requests a CAR in depth-first order with repeats', async () => {
    const dag = new TestDag()
    const gateway = await startGateway(dag)
    const source = await startSource({ gateways: [`${gateway.url}/ipfs/`] })
    const cid = await dag.add({ '': small })
    await source.fetch({ uri: `ipfs://${cid}`, contentHash: sha256Hex(small) })
    expect(gateway.requests).toEqual([`/ipfs/${cid}?format=car&dag-scope=all`])
    expect(gateway.accepts).toEqual(['application/vnd.ipld.car; version=1; order=dfs; dups=y'])
  })

  it('sends the credentials of a gateway URL to it and names it without them', async () => {
    const dag = new TestDag()
    const gateway = await startGateway(dag)
    const source = await startSource({ gateways: [gateway.url.replace('://', '://user:p%40ss@')] })
    await source.fetch({ uri: `ipfs://${await dag.add({ '': small })}`, contentHash: sha256Hex(small) })
    expect(gateway.authorizations).toEqual([`Basic ${Buffer.from('user:p@ss').toString('base64')}`])
    expect(JSON.stringify(source.events)).not.toContain('p@ss')
  })

  it('computes the content hash where none is given', async () => {
    const dag = new TestDag()
    const gateway = await startGateway(dag)
    const source = await startSource({ gateways: [gateway.url] })
    const uri = `ipfs://${await dag.add({ '': large })}`
    const media = await source.fetchUnstated(uri)
    expect(media.bytes).toBe(large.length)
    expect(Buffer.compare(await fs.readFile(media.file), large)).toBe(0)
    const { length: asked } = gateway.requests
    await source.fetch({ uri, contentHash: sha256Hex(large) })
    expect(gateway.requests).toHaveLength(asked)
    await source.close()
    expect((await failure(source.fetchUnstated(uri))).reason).toBe('draining')
  })

  it('ends a fetch without a stated hash when it is closed', async () => {
    const dag = new TestDag()
    const gateway = await startGateway(dag, { answer: () => true })
    const source = await startSource({ gateways: [gateway.url] })
    const fetching = failure(source.fetchUnstated(`ipfs://${await dag.add({ '': small })}`))
    await expect.poll(() => gateway.requests.length).toBe(1)
    await source.close()
    expect((await fetching).reason).toBe('draining')
  })

  it('checks keccak256 where the service uses it', async () => {
    const dag = new TestDag()
    const gateway = await startGateway(dag)
    const source = await startSource({ gateways: [gateway.url], contentHash: 'keccak256' })
    const contentHash = `0x${Buffer.from(keccak_256(large)).toString('hex')}`
    const uri = `ipfs://${await dag.add({ '': large })}`
    expect(await source.fetch({ uri, contentHash })).toMatchObject({ bytes: large.length })
    expect(await failure(source.fetch({ uri, contentHash: sha256Hex(large) }))).toMatchObject({
      reason: 'content-hash-mismatch',
    })
  })

  const refused: [name: string, uri: (dag: TestDag) => Promise<string>, reason: string][] = [
    ['a directory', async (dag) => `ipfs://${await dag.add({ 'a/b': small })}/a`, 'uri-unsupported'],
    ['a missing name', async (dag) => `ipfs://${await dag.add({ 'a/b': small })}/a/c`, 'uri-unsupported'],
    ['a path below a file', async (dag) => `ipfs://${await dag.add({ 'a/b': large })}/a/b/c`, 'uri-unsupported'],
    ['an empty file', async (dag) => `ipfs://${await dag.add({ '': new Uint8Array() })}`, 'media-empty'],
    ['bytes with another hash', async (dag) => `ipfs://${await dag.add({ '': large })}`, 'content-hash-mismatch'],
    ['a file over the cap', async (dag) => `ipfs://${await dag.add({ '': someBytes(5_000_001) })}`, 'media-too-large'],
  ]
  it.each(refused)('refuses %s, and leaves no file', async (_, build, reason) => {
    const dag = new TestDag()
    const gateway = await startGateway(dag)
    const source = await startSource({ gateways: [gateway.url], maxBytes: 5_000_000 })
    const error = await failure(source.fetch({ uri: await build(dag), contentHash: sha256Hex(small) }))
    expect(error.reason).toBe(reason)
    expect(await filesBelow(source.folder)).toEqual([])
  })
})
