import { describe, expect, it } from 'vitest'
import { refuseDeepNesting } from '../../../src/detect/evidence/jumbf-nesting.js'
import { box } from '../../support/iso-boxes.js'

/** Superboxes within each other, `depth` of them. */
function nested(depth: number, innermost: Buffer = Buffer.alloc(0)): Buffer {
  return depth === 0 ? innermost : box('jumb', nested(depth - 1, innermost))
}

const description = (toggles: number, ...fields: Buffer[]) =>
  box('jumd', Buffer.concat([Buffer.alloc(16), Buffer.from([toggles]), ...fields]))

describe('refuseDeepNesting', () => {
  it('accepts sixteen levels and refuses seventeen', () => {
    expect(() => refuseDeepNesting(nested(16, box('cbor', Buffer.alloc(4))))).not.toThrow()
    expect(() => refuseDeepNesting(nested(17))).toThrow(/too deep/)
  })

  it('counts levels, not neighboring boxes', () => {
    const side = Array.from({ length: 40 }, () => nested(15))
    expect(() => refuseDeepNesting(box('jumb', Buffer.concat(side)))).not.toThrow()
    expect(() => refuseDeepNesting(box('jumb', Buffer.concat([...side, nested(16)])))).toThrow(/too deep/)
  })

  it('accepts 20,000 boxes and refuses many more', () => {
    const boxes = (count: number) => Buffer.from('0000000863626f72'.repeat(count), 'hex')
    expect(() => refuseDeepNesting(boxes(20_000))).not.toThrow()
    expect(() => refuseDeepNesting(boxes(20_002))).toThrow(/too many/)
  })

  it.each([
    ['no bytes', ''],
    ['seven bytes', '00000008636263'],
    ['a box shorter than its head', `00000007${'63626f72'}00`],
    ['a box that lasts to the end', '0000000063626f72'],
    ['a box that ends behind the file', '0000ffff63626f72'],
  ])('leaves %s to the reader of the store', (_, hex) => {
    expect(() => refuseDeepNesting(Buffer.from(hex, 'hex'))).not.toThrow()
  })

  const label = Buffer.from('c2pa.x\0')
  const id = Buffer.alloc(4, 1)
  const hash = Buffer.alloc(32, 2)
  const inner = box('jumb', Buffer.alloc(8))
  it.each([
    ['boxes are refused', 0x10, [inner], true],
    ['a description is refused', 0x10, [description(0)], true],
    ['boxes behind a label are refused', 0x12, [label, inner], true],
    ['boxes behind an id are refused', 0x14, [id, inner], true],
    ['boxes behind a hash are refused', 0x18, [hash, inner], true],
    ['boxes behind all of them are refused', 0x1e, [label, id, hash, inner], true],
    ['nothing is taken', 0x03, [label], false],
    ['a salt is taken', 0x13, [label, box('c2sh', Buffer.alloc(16))], false],
    ['a box that the toggles do not state is taken', 0x02, [label, inner], false],
  ])('in the private field of a description %s', (_, toggles, fields, isRefused) => {
    const look = () => refuseDeepNesting(box('jumb', description(toggles, ...fields)))
    if (isRefused) expect(look).toThrow(/description holds boxes/)
    else expect(look).not.toThrow()
  })
})
