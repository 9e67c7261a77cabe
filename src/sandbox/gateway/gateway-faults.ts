import { createHash } from 'node:crypto'
import { CID } from 'multiformats/cid'
import { create as createDigest } from 'multiformats/hashes/digest'
import { sha256 } from 'multiformats/hashes/sha2'
import type { InjectedFault } from '../faults/faults.js'
import type { World } from '../world.js'
import type { CarBlock } from './dag-walk.js'

/** How many blocks `junk-block` sends, and the size of each, bytes. */
const JUNK = { count: 3, bytes: 64 * 1024 }
const RAW_CODEC = 0x55

/** The blocks as the fault of the request spoils them. */
export async function* faultyBlocks(
  fault: InjectedFault | null,
  blocks: AsyncIterable<CarBlock>,
): AsyncGenerator<CarBlock> {
  if (fault?.kind === 'junk-block') yield* junkBlocks(fault)
  let held: CarBlock | null = null
  for await (const block of blocks) {
    if (held !== null) yield held
    held = block
  }
  if (held !== null) yield fault?.kind === 'bad-block' ? spoiled(held) : held
}

/** The body as the fault of the request breaks it off. */
export async function* faultyBody(
  world: World,
  fault: InjectedFault | null,
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  if (fault?.kind !== 'truncated' && fault?.kind !== 'silence') {
    yield* body
    return
  }
  const parts: Uint8Array[] = []
  for await (const part of body) parts.push(part)
  const whole = Buffer.concat(parts)
  yield whole.subarray(0, fault.kind === 'silence' ? 0 : whole.byteLength >> 1)
  if (fault.kind === 'silence') await world.clock.sleep(2 ** 31 - 1, world.stopping)
  throw new Error('the fault ends the body here')
}

/** One byte in the middle is another one. */
function spoiled({ cid, bytes }: CarBlock): CarBlock {
  const copy = Uint8Array.from(bytes)
  const middle = copy.byteLength >> 1
  copy[middle] = (copy[middle] ?? 0) ^ 0xff
  return { cid, bytes: copy }
}

/** Valid blocks that belong to nothing that was asked for. */
function* junkBlocks(fault: InjectedFault): Generator<CarBlock> {
  for (let index = 0; index < JUNK.count; index++) {
    const bytes = Buffer.alloc(JUNK.bytes, `${fault.key} ${fault.attempt} ${index} `)
    const digest = createDigest(sha256.code, createHash('sha256').update(bytes).digest())
    yield { cid: CID.createV1(RAW_CODEC, digest), bytes }
  }
}
