import { box } from './iso-boxes.js'

const UUID_TAIL = '\x00\x11\x00\x10\x80\x00\x00\xaa\x00\x38\x9b\x71'

/** A superbox: its description (content type, toggles, label, further bytes) and its boxes. */
function superbox(type: string, label: string, ...boxes: Buffer[]): Buffer {
  const description = box('jumd', Buffer.from(`${type}${UUID_TAIL}\x03${label}\0`, 'latin1'))
  return box('jumb', description, ...boxes)
}

/** A manifest store whose claim is one whole number of so many bytes: reading it as a bigint takes the square of that. */
export function hugeNumberStore(bytes: number): Buffer {
  const head = Buffer.from([0xa1, 0x61, 0x61, 0xc2, 0x5a, 0, 0, 0, 0])
  head.writeUInt32BE(bytes, 5)
  const claim = superbox('c2cl', 'c2pa.claim', box('cbor', head, Buffer.alloc(bytes, 0x7f)))
  return superbox('c2pa', 'c2pa', superbox('c2ma', 'urn:uuid:0', claim))
}

/** A store of boxes that lie in the private field of each other's description, 33 bytes a level. */
export function privateFieldStore(levels: number): Buffer {
  const uuid = Buffer.from(`c2pa${UUID_TAIL}\x10`, 'latin1')
  const heads = Array.from({ length: levels }, (_, level) => {
    const inside = (levels - level) * 33
    const head = Buffer.alloc(16)
    head.writeUInt32BE(inside)
    head.write('jumb', 4, 'latin1')
    head.writeUInt32BE(inside - 8, 8)
    head.write('jumd', 12, 'latin1')
    return Buffer.concat([head, uuid])
  })
  return Buffer.concat(heads)
}

/** A WebP picture with a manifest store added. */
export function webpWithStore(webp: Buffer, store: Buffer): Buffer {
  const head = Buffer.alloc(8)
  head.write('C2PA')
  head.writeUInt32LE(store.length, 4)
  const file = Buffer.concat([webp, head, store, Buffer.alloc(store.length % 2)])
  file.writeUInt32LE(file.length - 8, 4)
  return file
}
