import { pbkdf2, type ScryptOptions, scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import { scryptAsync } from '@noble/hashes/scrypt.js'
import type { Hex } from 'viem'
import type { KeystoreContent } from './keystore-shape.js'

/** Bytes of a derived key: the first half encrypts, the second authenticates. */
const KEY_BYTES = 32

type Derivation = Pick<KeystoreContent['crypto'], 'kdf' | 'kdfparams'>

/**
 * Derives the key of a keystore from its password, letting other work run meanwhile. Not by ox, whose asynchronous
 * scrypt takes r = 1 and p = 8 whatever the file states.
 */
export async function deriveKeystoreKey({ kdfparams }: Derivation, password: string): Promise<Hex> {
  const salt = Buffer.from(kdfparams.salt, 'hex')
  const key =
    'n' in kdfparams
      ? await byScrypt(password, salt, kdfparams)
      : await promisify(pbkdf2)(password, salt, kdfparams.c, KEY_BYTES, 'sha256')
  return `0x${Buffer.from(key).toString('hex')}`
}

const byOpenSsl = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt)

function byScrypt(
  password: string,
  salt: Buffer,
  { n, r, p }: { n: number; r: number; p: number },
): Promise<Uint8Array> {
  // What both libraries count: n blocks to mix in, and p to begin with. The file's own bounds were checked by its shape.
  const maxmem = 128 * r * (n + p + 2)
  // OpenSSL, which takes three fifths of the time and no turn of the event loop, refuses the n of the definition's own example.
  if (n >= 2 ** (16 * r)) return scryptAsync(password, salt, { N: n, r, p, dkLen: KEY_BYTES, maxmem })
  return byOpenSsl(password, salt, KEY_BYTES, { N: n, r, p, maxmem })
}
