import { CarWriter } from '@ipld/car'
import { varint } from 'multiformats'
import type { CID } from 'multiformats/cid'
import type { CarBlock } from './dag-walk.js'

/** A CAR v1 as it is produced block by block, so that a reader that leaves stops the walk. */
export async function* carBytes(root: CID, blocks: AsyncIterable<CarBlock>): AsyncGenerator<Uint8Array> {
  yield* carHeader(root)
  for await (const block of blocks) yield carSection(block)
}

async function* carHeader(root: CID): AsyncGenerator<Uint8Array> {
  const { writer, out } = CarWriter.create([root])
  const closed = writer.close()
  yield* out
  await closed
}

/** Source: CAR v1 specification: varint length, CID bytes, block bytes. */
function carSection({ cid, bytes }: CarBlock): Uint8Array {
  const length = cid.bytes.byteLength + bytes.byteLength
  const prefix = varint.encodeTo(length, new Uint8Array(varint.encodingLength(length)))
  return Buffer.concat([prefix, cid.bytes, bytes])
}
