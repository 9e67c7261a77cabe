import { randomBytes } from 'node:crypto'
import fs from 'node:fs/promises'
import path from 'node:path'
import { AttestdError } from '../../core/errors.js'
import { createKeystore } from '../../wallet/create-keystore.js'
import { readOwnerFile } from '../../wallet/owner-file.js'

/** A key is 66 characters long. */
const MAX_KEY_FILE_BYTES = 1024

/** `file` must not exist yet; the password is asked for only when that, and the given key, were looked at. */
export interface NewWalletRequest {
  readonly file: string
  /** A file with the private key to encrypt, 64 hex characters with or without 0x. @default a new key */
  readonly keyFile?: string | undefined
  /** Called when only the password is missing. */
  readonly password: () => Promise<string>
}

/**
 * Makes a keystore, of a new key or a given one; never overwrites.
 * @returns what may be shown of it, the file by its absolute path @throws as `createKeystore` and `readOwnerFile` do
 */
export async function createWallet({ file, keyFile, password }: NewWalletRequest) {
  const place = path.resolve(file)
  await refuseTaken(place)
  const given = keyFile === undefined ? undefined : await keyIn(path.resolve(keyFile))
  const address = await createKeystore({
    file: place,
    password: await password(),
    random: randomBytes,
    privateKey: given,
  })
  return { address, file: place }
}

/** Only to report it before anyone thinks of a password: the keystore itself is made so that it cannot overwrite. */
async function refuseTaken(file: string): Promise<void> {
  const taken = await fs.lstat(file).catch(() => null)
  if (taken) throw new AttestdError('setting-invalid', `${file} already exists; it was not changed.`)
}

async function keyIn(file: string): Promise<string> {
  const text = (await readOwnerFile(file, 'key file', MAX_KEY_FILE_BYTES)).trim()
  return text.startsWith('0x') ? text : `0x${text}`
}
