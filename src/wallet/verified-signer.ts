import { getAddress, type Hex, hashMessage, hashTypedData, numberToHex, recoverAddress } from 'viem'
import { AttestdError } from '../core/errors.js'
import type { Signer } from './signer.js'

/** Order of the secp256k1 group (SEC 2, section 2.4.1). */
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
/** r, s and v: 32 + 32 + 1 bytes. */
const SIGNATURE = /^0x([0-9a-f]{64})([0-9a-f]{64})([0-9a-f]{2})$/i

/**
 * A signer that hands out no signature of another before it was checked: 65 bytes, r and s in range, s in the lower half
 * (contracts refuse the other one, viem takes it), v 27 or 28 (0 and 1 are made so), and recovering to the signer's address.
 * @throws AttestdError signature-wrong, request-invalid for what cannot be encoded, and the wallet's own `AttestdError`s; no
 *   error holds the text, the typed data or the signature
 */
export function verifiedSigner(wallet: Signer): Signer {
  const address = getAddress(wallet.address)
  const checked = async (hashOf: () => Hex, sign: () => Promise<Hex>): Promise<Hex> => {
    const hash = hashed(hashOf)
    const signature = normalSignature(await signed(sign))
    if ((await signerOf(hash, signature)) !== address) throw wrong('it was made by another key, or for another content')
    return signature
  }
  return {
    address,
    signMessage: ({ message }) =>
      checked(
        () => hashMessage(message),
        () => wallet.signMessage({ message }),
      ),
    signTypedData: (typedData) =>
      checked(
        () => typedDataHash(typedData as Parameters<typeof hashTypedData>[0]),
        () => wallet.signTypedData(typedData),
      ),
  }
}

function typedDataHash(typedData: Parameters<typeof hashTypedData>[0]): Hex {
  const { chainId } = typedData.domain ?? {}
  // Without a word viem leaves a chain id out that is a text, and the signature would count on every chain.
  if (chainId !== undefined && typeof chainId !== 'number' && typeof chainId !== 'bigint') throw new TypeError()
  return hashTypedData(typedData)
}

/** The libraries' own messages repeat the value that they cannot encode, so their errors go no further. */
function hashed(hashOf: () => Hex): Hex {
  try {
    return hashOf()
  } catch {
    throw new AttestdError('request-invalid', 'The content to sign cannot be encoded, so it was not signed.')
  }
}

async function signed(sign: () => Promise<Hex>): Promise<unknown> {
  try {
    return await sign()
  } catch (error) {
    if (error instanceof AttestdError) throw error
    throw new AttestdError('internal-error', 'The wallet failed to sign with an unexpected error.', {
      // oxlint-disable-next-line eslint/preserve-caught-error -- a message of viem may repeat what was to be signed
      facts: { error: error instanceof Error ? error.name : typeof error },
    })
  }
}

function normalSignature(signature: unknown): Hex {
  const parts = typeof signature === 'string' ? SIGNATURE.exec(signature) : null
  if (!parts) throw wrong('it is not 65 bytes of hex')
  const [r, s, v] = parts.slice(1).map((part) => BigInt(`0x${part}`)) as [bigint, bigint, bigint]
  if (r === 0n || r >= ORDER || s === 0n || s >= ORDER) throw wrong('r or s is out of range')
  if (s > ORDER / 2n) throw wrong('its s is in the upper half, which contracts refuse')
  const recovery = v < 27n ? v : v - 27n
  if (recovery > 1n) throw wrong('its v is none of 27, 28, 0 and 1')
  return `0x${parts[1]}${parts[2]}${numberToHex(27n + recovery).slice(2)}`.toLowerCase() as Hex
}

/** Null where the point of r is not on the curve, so that no key can have made the signature. */
const signerOf = (hash: Hex, signature: Hex): Promise<Hex | null> =>
  recoverAddress({ hash, signature }).catch(() => null)

const wrong = (why: string): AttestdError =>
  new AttestdError('signature-wrong', `A signature of the wallet was not used: ${why}.`)
