import * as Keystore from 'ox/Keystore'
import type { Address, Hex } from 'viem'
import { AttestdError, errorText } from '../core/errors.js'
import { jsonIn } from '../core/text.js'
import { deriveKeystoreKey } from './keystore-key.js'
import { type KeystoreContent, keystoreShape } from './keystore-shape.js'
import { openLocalWallet } from './local-wallet.js'
import { readOwnerFile } from './owner-file.js'
import type { Signer } from './signer.js'

/** Keystores are some 500 bytes long. */
const MAX_FILE_BYTES = 64 * 1024

/**
 * Opens an encrypted keystore (Web3 Secret Storage Definition, version 3; scrypt or PBKDF2) that its owner alone may
 * read. Takes about a second, by the file's own parameters.
 * @throws AttestdError wallet-unusable: unreadable, open to others, malformed, too costly, another password or address
 */
export async function openKeystore(file: string, password: string): Promise<Signer> {
  const content = parseKeystore(file, await readOwnerFile(file, 'keystore', MAX_FILE_BYTES))
  const signer = openLocalWallet(await decrypted(file, content, password))
  if (content.address !== undefined && !isAddress(signer.address, content.address)) {
    throw new AttestdError(
      'wallet-unusable',
      `The keystore ${file} states the address 0x${content.address}, but its key has the address ${signer.address}.`,
    )
  }
  return signer
}

function parseKeystore(file: string, text: string): KeystoreContent {
  const parsed = keystoreShape.safeParse(jsonIn(text))
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const where = issue?.path.length ? ` at ${issue.path.join('.')}` : ''
  throw new AttestdError(
    'wallet-unusable',
    `${file} is not a V3 keystore that can be opened${where}: ${issue?.message}.`,
  )
}

async function decrypted(file: string, { crypto }: KeystoreContent, password: string): Promise<Hex> {
  const key = await deriveKeystoreKey(crypto, password).catch((error: unknown) => {
    throw new AttestdError('wallet-unusable', `The keystore ${file} cannot be opened here (${errorText(error)}).`)
  })
  try {
    return Keystore.decrypt({ crypto, id: '', version: 3 }, key)
  } catch {
    // The authentication code is the only sign.
    throw new AttestdError(
      'wallet-unusable',
      `The password does not open the keystore ${file}, or the file is damaged.`,
      {
        fix: 'Correct ATTESTD_WALLET_PASSWORD, or the file that ATTESTD_WALLET_PASSWORD_FILE (wallet.passwordFile) names; attestd wallet address tries it.',
      },
    )
  }
}

const isAddress = (address: Address, hex: string): boolean => address.toLowerCase() === `0x${hex}`
