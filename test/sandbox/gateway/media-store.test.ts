import { createHash } from 'node:crypto'
import fs from 'node:fs/promises'
import path from 'node:path'
import { CID } from 'multiformats/cid'
import { beforeEach, describe, expect, it } from 'vitest'
import { dagBlocks, resolvePath } from '../../../src/sandbox/gateway/dag-walk.js'
import { DirectoryBlockstore, readBlock } from '../../../src/sandbox/gateway/directory-blockstore.js'
import { MediaStore } from '../../../src/sandbox/gateway/media-store.js'
import { folderForEach } from '../../support/temporary-folder.js'

const CONTENT = Buffer.from(Array.from({ length: 1000 }, (_, index) => index % 251))

const folder = folderForEach()
let blocks: DirectoryBlockstore
beforeEach(async () => {
  blocks = await DirectoryBlockstore.open(path.join(folder, 'deep', 'blocks'))
})
const store = (algorithm: 'sha256' | 'keccak256' = 'sha256') => new MediaStore({ blocks, algorithm, chunkBytes: 300 })

describe('media as blocks', () => {
  it('states hash, size and CID of the content', async () => {
    const stored = await store().add(CONTENT, 'a.bin')
    expect(stored).toMatchObject({
      contentHash: `0x${createHash('sha256').update(CONTENT).digest('hex')}`,
      uri: `ipfs://${stored.cid}`,
      bytes: 1000,
    })
    expect(CID.parse(stored.cid).version).toBe(1)
    expect((await store().add(CONTENT, 'other name')).cid).toBe(stored.cid)
  })

  it('hashes by keccak-256 where requested', () => {
    // Of nothing, by the Ethereum yellow paper, appendix H.
    expect(store('keccak256').contentHashOf(new Uint8Array(0))).toBe(
      '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470',
    )
  })

  it('accepts an empty file', async () => {
    expect(await store().add(new Uint8Array(0), 'empty')).toMatchObject({ bytes: 0, uri: /^ipfs:\/\// })
  })

  it('has CID v0 where requested', async () => {
    expect((await store().add(CONTENT, 'a', { cidVersion: 0 })).cid).toMatch(/^Qm/)
  })

  it.each([
    ['a b.png', 'a%20b.png'],
    ['up/../../etc/passwd', 'passwd'],
    ['C:\\photos\\x.jpg', 'x.jpg'],
    ['..', 'file'],
    ['.', 'file'],
    ['', 'file'],
    ['dir/', 'file'],
    ['?#%', '%3F%23%25'],
  ])('is in a directory under the last part of its name: %j', async (name, segment) => {
    const { uri, cid } = await store().add(CONTENT, name, { wrap: true })
    expect(uri).toBe(`ipfs://${cid}/${segment}`)
    const resolved = await resolvePath(blocks, `${cid}/${decodeURIComponent(segment)}`)
    expect(resolved.way.length).toBeGreaterThan(0)
    expect(resolved.target.toString()).not.toBe(cid)
  })
})

describe('blocks in a directory', () => {
  it('are found by the next opener, by either version of their CID', async () => {
    const { cid } = await store().add(CONTENT.subarray(0, 100), 'a')
    const again = await DirectoryBlockstore.open(path.join(folder, 'deep', 'blocks'))
    expect(await readBlock(again, CID.parse(cid))).toEqual(CONTENT.subarray(0, 100))
    expect(await again.has(CID.parse(cid))).toBe(true)
  })

  it('are absent, not an error, where there is none; any other failure is an error', async () => {
    const { cid } = await store().add(Buffer.from('gone'), 'a')
    const [name] = await fs.readdir(path.join(folder, 'deep', 'blocks'))
    const file = path.join(folder, 'deep', 'blocks', name as string)
    await fs.rm(file)
    expect([await readBlock(blocks, CID.parse(cid)), await blocks.has(CID.parse(cid))]).toEqual([null, false])
    await fs.mkdir(file)
    await expect(readBlock(blocks, CID.parse(cid))).rejects.toMatchObject({ code: 'EISDIR' })
  })

  it('are joined where they come in pieces', async () => {
    const { cid } = await store().add(Buffer.from('abcdef'), 'a')
    await blocks.put(CID.parse(cid), [Buffer.from('abc'), Buffer.from('def')])
    expect(String(await readBlock(blocks, CID.parse(cid)))).toBe('abcdef')
  })
})

describe('walking a DAG', () => {
  /** Sizes of the blocks that are sent. */
  async function sizes(cid: string, scope: 'all' | 'entity' | 'block'): Promise<number[]> {
    const resolved = await resolvePath(blocks, cid)
    const found: number[] = []
    for await (const { bytes } of dagBlocks(blocks, resolved, scope)) found.push(bytes.byteLength)
    return found
  }

  it('goes from the root to the leaves in order', async () => {
    const { cid } = await store().add(CONTENT, 'a')
    const [root, ...leaves] = await sizes(cid, 'all')
    expect(root).toBeGreaterThan(0)
    expect(leaves).toEqual([300, 300, 300, 100])
  })

  it('sends a block as often as it occurs', async () => {
    const { cid } = await store().add(Buffer.alloc(900, 7), 'a')
    expect((await sizes(cid, 'entity')).slice(1)).toEqual([300, 300, 300])
  })

  it('stops at one block where only that is requested', async () => {
    const { cid } = await store().add(CONTENT, 'a')
    expect(await sizes(cid, 'block')).toHaveLength(1)
  })

  it('fails where a block is missing, instead of sending half a file as a whole', async () => {
    const { cid } = await store().add(CONTENT, 'a')
    const names = await fs.readdir(path.join(folder, 'deep', 'blocks'))
    const stats = await Promise.all(
      names.map(async (name) => [name, (await fs.stat(path.join(folder, 'deep', 'blocks', name))).size] as const),
    )
    const leaf = stats.find(([, size]) => size === 100)?.[0] as string
    await fs.rm(path.join(folder, 'deep', 'blocks', leaf))
    await expect(sizes(cid, 'all')).rejects.toThrow(/is missing/)
  })

  it('refuses a path that does not exist', async () => {
    const { cid } = await store().add(CONTENT, 'a', { wrap: true })
    for (const segments of [['b'], ['a', 'b']])
      await expect(resolvePath(blocks, [cid, ...segments].join('/'))).rejects.toMatchObject({
        code: 'content-not-found',
      })
  })
})
