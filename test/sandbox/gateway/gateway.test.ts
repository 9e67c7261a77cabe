import { CarBlockIterator } from '@ipld/car'
import { MemoryBlockstore } from 'blockstore-core'
import { exporter } from 'ipfs-unixfs-exporter'
import { CID } from 'multiformats/cid'
import { identity } from 'multiformats/hashes/identity'
import { sha256 } from 'multiformats/hashes/sha2'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Sandbox } from '../../../src/sandbox/create-sandbox.js'
import { startSandbox } from '../../support/sandbox.js'
import { type RawReply, send } from '../../support/sandbox-requests.js'

const CAR = 'application/vnd.ipld.car'
const RAW = 'application/vnd.ipld.raw'

/** Repeats every 4 KiB, so that leaves of 4 KiB are all the same block. */
const REPEATING = Buffer.alloc(20 * 4096, Buffer.from(Array.from({ length: 4096 }, (_, index) => index % 251)))
const VARIED = Buffer.from(Array.from({ length: 1_000_003 }, (_, index) => (index * 7 + (index >> 8)) % 256))

let sandbox: Sandbox

beforeAll(async () => {
  sandbox = await startSandbox({ chunkBytes: 4096 })
})
afterAll(() => sandbox.close())

const get = (target: string, headers: Record<string, string> = {}, from = sandbox) =>
  send(from.url, { method: 'GET', target, headers })
const pathOf = (uri: string) => uri.replace('ipfs://', '/ipfs/')

/** Reads a CAR, checks every block against its CID, and gives the blocks in order. */
async function verified(reply: RawReply): Promise<{ roots: CID[]; cids: string[]; store: MemoryBlockstore }> {
  const car = await CarBlockIterator.fromBytes(reply.body)
  const store = new MemoryBlockstore()
  const cids: string[] = []
  for await (const { cid, bytes } of car) {
    expect((await sha256.digest(bytes)).bytes).toEqual(cid.multihash.bytes)
    store.put(cid, bytes)
    cids.push(cid.toString())
  }
  return { roots: await car.getRoots(), cids, store }
}

async function exported(uri: string, store: MemoryBlockstore): Promise<Buffer> {
  const entry = await exporter(uri.replace('ipfs://', ''), store)
  if (entry.type !== 'file' && entry.type !== 'raw') throw new Error(`a ${entry.type} is no file`)
  const parts: Uint8Array[] = []
  for await (const part of entry.content()) parts.push(part)
  return Buffer.concat(parts)
}

describe.each([
  ['a single raw block', Buffer.from('hello'), {}],
  ['many blocks', VARIED, {}],
  ['repeated blocks', REPEATING, {}],
  ['CID v0', VARIED, { cidVersion: 0 as const }],
  ['a directory path', VARIED, { wrap: true }],
  ['a directory path with a name that needs encoding', REPEATING, { wrap: true, name: 'a b & ü.png' }],
])('%s', (_name, content, { name = 'file.bin', ...options }: { name?: string; wrap?: boolean; cidVersion?: 0 | 1 }) => {
  it('is read back whole from a CAR, root first, every block right, and block by block as raw', async () => {
    const { uri } = await sandbox.registerFile(name, { content, ...options })
    const car = await get(`${pathOf(uri)}?format=car`)
    expect(car.headers['content-type']).toBe(`${CAR}; version=1; order=dfs; dups=y`)
    const whole = await verified(car)
    expect(whole.roots.map(String)).toEqual([uri.split('/')[2]])
    expect(whole.cids[0]).toBe(uri.split('/')[2])
    expect(content.equals(await exported(decodeURIComponent(uri), whole.store))).toBe(true)
    const store = new MemoryBlockstore()
    for (const cid of new Set(whole.cids)) {
      const reply = await get(`/ipfs/${cid}?format=raw`)
      expect(reply.headers['content-type']).toBe(RAW)
      expect((await sha256.digest(reply.body)).bytes).toEqual(CID.parse(cid).multihash.bytes)
      store.put(CID.parse(cid), reply.body)
    }
    expect(content.equals(await exported(decodeURIComponent(uri), store))).toBe(true)
  })
})

describe('the format', () => {
  let target: string
  beforeAll(async () => {
    target = pathOf((await sandbox.registerFile('f', { content: REPEATING })).uri)
  })

  it.each([
    ['Accept of a CAR', { accept: CAR }, '', `${CAR}; version=1; order=dfs; dups=y`],
    ['Accept with parameters', { accept: `${CAR}; order=dfs; dups=y` }, '', `${CAR}; version=1; order=dfs; dups=y`],
    ['Accept of a raw block', { accept: RAW }, '', RAW],
    ['Accept of several', { accept: `text/html, ${RAW};q=0.5` }, '', RAW],
    ['the query against Accept', { accept: RAW }, '?format=car', `${CAR}; version=1; order=dfs; dups=y`],
  ])('is selected by %s', async (_name, headers: Record<string, string>, query, type) => {
    const reply = await get(target + query, headers)
    expect([reply.status, reply.headers['content-type']]).toEqual([200, type])
  })

  it('repeats blocks', async () => {
    const { cids } = await verified(await get(`${target}?format=car`))
    expect([cids.length, new Set(cids).size]).toEqual([21, 2])
  })

  it('is required', async () => {
    const reply = await get(target, { accept: 'image/*' })
    expect([reply.status, reply.json.error.code]).toEqual([400, 'format-missing'])
    expect((await get(`${target}?format=tar`)).status).toBe(400)
  })
})

describe('dag-scope', () => {
  it.each([
    ['block', 'file', 1],
    ['entity', 'file', 248],
    ['all', 'file', 248],
    ['block', 'directory', 1],
    ['entity', 'directory', 1],
    ['all', 'directory', 249],
  ])('%s of a %s has %d blocks', async (scope, kind, count) => {
    const { uri } = await sandbox.registerFile('f', { content: VARIED, wrap: kind === 'directory' })
    const root = pathOf(uri).split('/').slice(0, 3).join('/')
    const { cids } = await verified(await get(`${root}?format=car&dag-scope=${scope}`))
    expect(cids).toHaveLength(count)
  })

  it('keeps the blocks that lead to a path', async () => {
    const { uri } = await sandbox.registerFile('f', { content: VARIED, wrap: true })
    const { cids } = await verified(await get(`${pathOf(uri)}?format=car&dag-scope=block`))
    expect(cids).toHaveLength(2)
    expect((await get(`${pathOf(uri)}?format=car&dag-scope=galaxy`)).status).toBe(400)
  })
})

it('a block inside its own CID is served, like the empty one that clients ask every trustless gateway for', async () => {
  const hello = CID.createV1(0x55, identity.digest(Buffer.from('hello')))
  for (const [cid, text] of [
    ['bafkqaaa', ''],
    [hello.toString(), 'hello'],
  ]) {
    const { body, headers, status } = await get(`/ipfs/${cid}?format=raw`)
    expect([status, headers['content-type'], body.toString()]).toEqual([200, RAW, text])
  }
})

it('HEAD has the same headers and no body', async () => {
  const { uri } = await sandbox.registerFile('f', { content: VARIED })
  const { status, body, headers } = await send(sandbox.url, { method: 'HEAD', target: `${pathOf(uri)}?format=car` })
  expect([status, body.byteLength]).toEqual([200, 0])
  expect(headers['content-type']).toContain(CAR)
  expect(headers['cache-control']).toBe('public, max-age=29030400, immutable')
})

it.each([
  ['no CID', '/ipfs/hello?format=car', 400, 'cid-invalid'],
  ['nothing', '/ipfs/?format=car', 400, 'cid-invalid'],
  [
    'an unknown CID',
    '/ipfs/bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy?format=car',
    404,
    'content-not-found',
  ],
  [
    'an unknown raw CID',
    '/ipfs/bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy?format=raw',
    404,
    'content-not-found',
  ],
])('what is not there %s', async (_name, target, status, code) => {
  const reply = await get(target)
  expect([reply.status, reply.json.error.code]).toEqual([status, code])
})
