import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { AttestdError } from '../core/errors.js'
import type { Signer } from './signer.js'

const PRIVATE_KEY = /^0x[0-9a-fA-F]{64}$/

/** The signer of a private key in hex, 0x and 64 digits. @throws AttestdError wallet-unusable, without the key */
export function openLocalWallet(key: string): Signer {
  if (!PRIVATE_KEY.test(key)) throw unusable('is not 0x and 64 hex characters')
  try {
    return privateKeyToAccount(key as Hex)
  } catch {
    // No cause: the curve library repeats the number.
    throw unusable('is zero, or not below the order of the curve')
  }
}

const unusable = (why: string): AttestdError =>
  new AttestdError('wallet-unusable', `The private key of the wallet ${why}.`)
