import { describe, expect, it } from 'vitest'
import { checkBlock } from '../../../src/media/ipfs/block-check.js'
import { cidOf as cidOfCodec } from '../support/dag.js'

const RAW = 0x55
const cidOf = (bytes: Uint8Array, code = RAW) => cidOfCodec(bytes, code)

describe('checkBlock', () => {
  const bytes = Buffer.from('block')
  it('takes the bytes of a SHA-256 CID, whatever its codec', () => {
    for (const code of [RAW, 0x70]) expect(() => checkBlock(cidOf(bytes, code), bytes)).not.toThrow()
  })

  it('refuses one changed byte, one byte less and one more', () => {
    for (const other of [Buffer.from('blocK'), Buffer.from('bloc'), Buffer.from('block '), Buffer.alloc(0)])
      expect(() => checkBlock(cidOf(bytes), other)).toThrow(expect.objectContaining({ reason: 'media-integrity' }))
  })
})
