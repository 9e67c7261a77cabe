import { createHash } from 'node:crypto'
import * as dagPb from '@ipld/dag-pb'
import type { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { identity } from 'multiformats/hashes/identity'
import { AttestdError } from '../../core/errors.js'

/** Largest block that is taken, bytes; the limit of Bitswap and of the trustless gateway specification. */
export const MAX_BLOCK_BYTES = 2 * 1024 * 1024
/** Longest digest of an identity CID, bytes; what kubo accepts. */
const MAX_IDENTITY_BYTES = 128
/** Multihash code of sha2-256 in the multicodec table. */
const SHA2_256 = 0x12
const SHA2_256_BYTES = 32

/** Whether blocks of this CID hold file data or UnixFS nodes. */
export const isReadableCodec = (cid: CID): boolean => cid.code === raw.code || cid.code === dagPb.code

/** Whether bytes can be checked against this CID: sha2-256 in full length, or the bytes inline. */
export function isVerifiableHash(cid: CID): boolean {
  const { code, digest } = cid.multihash
  if (code === identity.code) return digest.length <= MAX_IDENTITY_BYTES
  return code === SHA2_256 && digest.length === SHA2_256_BYTES
}

/** The bytes that a CID with an identity hash carries itself, or null for all others. */
export const inlineBytes = (cid: CID): Uint8Array | null =>
  cid.multihash.code === identity.code ? cid.multihash.digest : null

/** The same for every CID that names the same bytes, whatever its version and codec. */
export const blockKey = (cid: CID): string => Buffer.from(cid.multihash.bytes).toString('base64')

/** Checks bytes against the CID that they came under. @throws AttestdError media-integrity */
export function checkBlock(cid: CID, bytes: Uint8Array): void {
  if (bytes.length > MAX_BLOCK_BYTES) throw integrity(`a block of ${bytes.length} bytes is over the block cap`)
  if (!isVerifiableHash(cid)) throw integrity('a block has a hash that cannot be verified')
  const inline = inlineBytes(cid)
  const actual = inline ?? createHash('sha256').update(bytes).digest()
  const expected = inline ? bytes : cid.multihash.digest
  if (Buffer.compare(actual, expected) !== 0) throw integrity(`a block does not hash to ${cid.toString()}`)
}

/** A gateway sent what it must not; the sentence states what. */
export const integrity = (what: string): AttestdError =>
  new AttestdError('media-integrity', `A gateway broke the trustless contract: ${what}.`)
