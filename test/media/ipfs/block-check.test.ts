import { createHash } from 'node:crypto'
import { CID } from 'multiformats/cid'
import * as Digest from 'multiformats/hashes/digest'
import { describe, expect, it } from 'vitest'
import { checkBlock } from '../../../src/media/ipfs/block-check.js'
import { withReason } from '../../support/with-reason.js'
import { cidOf as cidOfCodec } from '../support/dag.js'

const RAW = 0x55
const cidOf = (bytes: Uint8Array, code = RAW) => cidOfCodec(bytes, code)

describe('checkBlock', () => {
  const bytes = Buffer.from('block')
  it('accepts the bytes of a SHA-256 CID, with any codec', () => {
    for (const code of [RAW, 0x70]) expect(() => checkBlock(cidOf(bytes, code), bytes)).not.toThrow()
  })

  it('refuses one changed byte, one byte less and one more', () => {
    for (const other of [Buffer.from('blocK'), Buffer.from('bloc'), Buffer.from('block '), Buffer.alloc(0)])
      expect(() => checkBlock(cidOf(bytes), other)).toThrow(withReason('media-integrity'))
  })

  const inline = (length: number) => CID.createV1(RAW, Digest.create(0x00, Buffer.alloc(length, 7)))
  it('accepts an identity CID of up to 128 bytes', () => {
    expect(() => checkBlock(inline(128), Buffer.alloc(128, 7))).not.toThrow()
    expect(() => checkBlock(inline(128), Buffer.alloc(128, 8))).toThrow(/does not hash to/)
    expect(() => checkBlock(inline(129), Buffer.alloc(129, 7))).toThrow(/cannot be verified/)
  })

  it.each([
    ['another hash of 32 bytes', 0x16, 32],
    ['SHA-256 cut to 20 bytes', 0x12, 20],
    ['SHA-512', 0x13, 64],
  ])('refuses %s, which cannot be verified', (_, code, length) => {
    const digest = createHash('sha256').update(bytes).digest().subarray(0, length)
    const cid = CID.createV1(RAW, Digest.create(code, Buffer.concat([digest, Buffer.alloc(length - digest.length)])))
    expect(() => checkBlock(cid, bytes)).toThrow(/cannot be verified/)
  })

  it('refuses a block over 2 MiB even with the right hash', () => {
    const large = Buffer.alloc(2 * 1024 * 1024 + 1)
    expect(() => checkBlock(cidOf(large.subarray(1)), large.subarray(1))).not.toThrow()
    expect(() => checkBlock(cidOf(large), large)).toThrow(/over the block cap/)
  })
})
