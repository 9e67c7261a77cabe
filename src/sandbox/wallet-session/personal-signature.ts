import { type Hex, recoverMessageAddress, slice } from 'viem'

/** Half the order of secp256k1. Source: SEC 2, and the limit that EIP-2 puts on s. */
const MAX_S = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n

/**
 * Whose EIP-191 signature of a text this is, in lower case; null where it is none. Of the two signatures that stand for
 * the same, only the one with the low s counts (EIP-2).
 */
export async function signerOf(message: string, signature: Hex): Promise<string | null> {
  if (BigInt(slice(signature, 32, 64)) > MAX_S) return null
  try {
    return (await recoverMessageAddress({ message, signature })).toLowerCase()
  } catch {
    return null
  }
}
