import { z } from 'zod'

/** Most memory that deriving a key may take, bytes: twice what geth's standard keystores need (n 262144, r 8). scrypt takes 128 * n * r. */
const MAX_SCRYPT_BYTES = 512 * 1024 ** 2
/** Most work that deriving a key may take, as n * r * p: eight times geth's standard. */
const MAX_SCRYPT_WORK = 2 ** 24
/** Most r * p; geth's light keystores have 48. The library makes 128 bytes for each at once, blocking all else. */
const MAX_SCRYPT_LANES = 4096
/** Most rounds of PBKDF2: forty times what keystores have. */
const MAX_PBKDF2_ROUNDS = 10_000_000

/** Hex of so many bytes, with or without 0x; the result has none. */
const hex = (minBytes: number, maxBytes = minBytes) =>
  z
    .string()
    .regex(/^(0x)?([0-9a-fA-F]{2})*$/, 'hex')
    .transform((text) => text.replace(/^0x/, '').toLowerCase())
    .refine(({ length }) => length >= 2 * minBytes && length <= 2 * maxBytes, `${minBytes} to ${maxBytes} bytes`)

const positive = z.int().min(1)
const common = { dklen: z.literal(32), salt: hex(1, 128) }

const scryptParams = z
  .object({ ...common, n: positive, r: positive, p: positive })
  .refine(({ n }) => n > 1 && Number.isInteger(Math.log2(n)), 'n must be a power of two')
  .refine(({ n, r }) => 128 * n * r <= MAX_SCRYPT_BYTES, `n and r ask for more than ${MAX_SCRYPT_BYTES} bytes`)
  .refine(({ r, p }) => r * p <= MAX_SCRYPT_LANES, `r and p ask for more than ${MAX_SCRYPT_LANES} blocks at one go`)
  .refine(({ n, r, p }) => n * r * p <= MAX_SCRYPT_WORK, 'n, r and p ask for too much work')

const pbkdf2Params = z.object({
  ...common,
  c: positive.max(MAX_PBKDF2_ROUNDS),
  prf: z.literal('hmac-sha256'),
})

const cipher = {
  cipher: z.literal('aes-128-ctr'),
  cipherparams: z.object({ iv: hex(16) }),
  ciphertext: hex(32),
  mac: hex(32),
}

const crypto = z.discriminatedUnion('kdf', [
  z.object({ ...cipher, kdf: z.literal('scrypt'), kdfparams: scryptParams }),
  z.object({ ...cipher, kdf: z.literal('pbkdf2'), kdfparams: pbkdf2Params }),
])

/**
 * A keystore file of the Web3 Secret Storage Definition, version 3, with bounds on what opening it may cost. ethers
 * writes `Crypto` for `crypto`; some writers put 0x before hex, and leave out the address.
 */
export const keystoreShape = z.preprocess(
  (file) => (isRecord(file) && 'Crypto' in file && !('crypto' in file) ? { ...file, crypto: file.Crypto } : file),
  z.object({ version: z.literal(3), address: hex(20).optional(), crypto }),
)

/** What a keystore file holds, as far as it is needed to open it. */
export type KeystoreContent = z.output<typeof keystoreShape>

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
