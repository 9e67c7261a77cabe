import { type Address, type Hex, isAddressEqual, recoverAddress } from 'viem'
import type { OffchainAttestation } from './wire.js'

type Signature = OffchainAttestation['signature']

/** Half the order of secp256k1: with an s above it, a second signature of the same text would count. Source: EIP-2. */
const HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n

/** 65 bytes: r, s, and v as 0, 1, 27 or 28. */
const SIGNATURE = /^0x([0-9a-f]{64})([0-9a-f]{64})(00|01|1b|1c)$/i

/** A signature as wallets give it, in its parts with v 27 or 28; null where it is none. */
export function splitSignature(signature: string): Signature | null {
  const [, r, s, v] = SIGNATURE.exec(signature) ?? []
  if (r === undefined || s === undefined || v === undefined) return null
  const recovery = Number.parseInt(v, 16)
  const parts = { r: `0x${r.toLowerCase()}` as Hex, s: `0x${s.toLowerCase()}` as Hex }
  return { ...parts, v: recovery < 27 ? recovery + 27 : recovery }
}

/** What is wrong with a signature of `hash` by `signer`, as the end of a sentence; null where nothing is. */
export async function signatureFault(signature: Signature, hash: Hex, signer: Address): Promise<string | null> {
  const { r, s, v } = signature
  if (v !== 27 && v !== 28) return 'has a v that is not 27 or 28'
  if (BigInt(s) > HALF_ORDER) return 'has an s in the upper half of the order, so it is not the only one'
  const recovered = await recoverAddress({ hash, signature: { r, s, v: BigInt(v) } }).catch(() => null)
  if (recovered === null) return 'does not recover to a signer'
  return isAddressEqual(recovered, signer) ? null : `is by ${recovered}, not by ${signer}`
}
