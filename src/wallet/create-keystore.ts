import fs from 'node:fs/promises'
import * as Keystore from 'ox/Keystore'
import type { Address, Hex } from 'viem'
import { AttestdError, errorText } from '../core/errors.js'
import { writeNewFile } from '../core/files.js'
import { openKeystore } from './keystore.js'
import { deriveKeystoreKey } from './keystore-key.js'
import { openLocalWallet } from './local-wallet.js'
import type { Signer } from './signer.js'

/** Shortest password of a new keystore, characters. */
export const KEYSTORE_PASSWORD_MIN = 8

/** What geth takes as its standard (accounts/keystore: StandardScryptN, StandardScryptP; r is fixed): 256 MiB, about a second. */
const STANDARD_COST: ScryptCost = { n: 262_144, r: 8, p: 1 }

interface ScryptCost {
  readonly n: number
  readonly r: number
  readonly p: number
}

export interface CreateKeystoreOptions {
  readonly file: string
  readonly password: string
  /** 0x and 64 hex characters. @default a new one */
  readonly privateKey?: string | undefined
  /** Fills so many bytes from a cryptographic source. */
  readonly random: (bytes: number) => Uint8Array
  /** @default that of geth; less is for tests */
  readonly cost?: ScryptCost
}

/**
 * Encrypts a new key, or the given one, into a V3 keystore that its owner alone may read, and opens it once as a check.
 * Never overwrites; what did not succeed leaves no file.
 * @returns the address of the key
 * @throws AttestdError setting-invalid (file there already, password too short or padded), data-dir-unusable, wallet-unusable
 */
export async function createKeystore(options: CreateKeystoreOptions): Promise<Address> {
  const { file, password, random } = options
  if (password.length < KEYSTORE_PASSWORD_MIN) {
    throw new AttestdError('setting-invalid', `The password must have at least ${KEYSTORE_PASSWORD_MIN} characters.`)
  }
  // It would be cut off where the password is read from a file, and the keystore would not open.
  if (password.trim() !== password) {
    throw new AttestdError('setting-invalid', 'The password must not begin or end with white space.')
  }
  const privateKey = options.privateKey ?? newPrivateKey(random)
  const { address } = openLocalWallet(privateKey)
  const content = await encrypted(privateKey as Hex, address, options)
  await writeNewFile(file, content).catch((error) => {
    throw unwritable(file, error)
  })
  try {
    await check(file, password, address)
  } catch (error) {
    await fs.rm(file, { force: true })
    throw error instanceof AttestdError ? error : unwritable(file, error)
  }
  return address
}

/** By chance about one number in 2^128 is no private key. */
const newPrivateKey = (random: CreateKeystoreOptions['random']): Hex => `0x${Buffer.from(random(32)).toString('hex')}`

function unwritable(file: string, error: unknown): AttestdError {
  if ((error as NodeJS.ErrnoException).code === 'EEXIST') {
    return new AttestdError('setting-invalid', `${file} already exists; it was not changed.`)
  }
  return new AttestdError('data-dir-unusable', `${file} cannot be written (${errorText(error)}).`, { cause: error })
}

async function encrypted(privateKey: Hex, address: Address, options: CreateKeystoreOptions): Promise<string> {
  const { password, random, cost = STANDARD_COST } = options
  const kdfparams = { dklen: 32, ...cost, salt: Buffer.from(random(32)).toString('hex') } as const
  const key = await deriveKeystoreKey({ kdf: 'scrypt', kdfparams }, password)
  const content = Keystore.encrypt(privateKey, key, { kdf: 'scrypt', kdfparams, iv: random(16) })
  return `${JSON.stringify({ address: address.slice(2).toLowerCase(), ...content }, null, 2)}\n`
}

/** Reads back what lies on the disk, so that a key is not reported as kept when it is not. */
async function check(file: string, password: string, address: Address): Promise<void> {
  const opened: Signer = await openKeystore(file, password)
  if (opened.address !== address) {
    throw new AttestdError('wallet-unusable', `The keystore ${file} could not be read back as it was written.`)
  }
}
