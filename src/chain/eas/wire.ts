import { getAddress, type Hex } from 'viem'
import { z } from 'zod'
import { AttestdError } from '../../core/errors.js'

/** Longest `data`, bytes: a score with long notes takes some hundreds. */
const DATA_MAX_BYTES = 32_768
/** Longest of the short texts: names, types, versions; characters. */
const WORD_MAX = 64
/** Most fields of the signed struct; version 2 has 9. */
const FIELDS_MAX = 16
const UINT64_MAX = 2n ** 64n - 1n
const CHAIN_ID_MAX = BigInt(Number.MAX_SAFE_INTEGER)
/** Digits of UINT64_MAX. */
const DIGITS_MAX = 20

const word = z.string().max(WORD_MAX, `at most ${WORD_MAX} characters`)
const attestationVersion = z.union([z.literal(1), z.literal(2)], '1 or 2')

function hex(bytes: number) {
  const pattern = new RegExp(`^0x[0-9a-fA-F]{${bytes * 2}}$`)
  return z
    .string()
    .regex(pattern, `0x and ${bytes * 2} hex characters`)
    .transform((text) => text.toLowerCase() as Hex)
}

const data = z
  .string()
  // Aborts, so that no pattern runs over megabytes.
  .max(2 + 2 * DATA_MAX_BYTES, {
    error: `at most ${DATA_MAX_BYTES} bytes`,
    abort: true,
  })
  .regex(/^0x(?:[0-9a-fA-F]{2})*$/, 'bytes in hex')
  .transform((text) => text.toLowerCase() as Hex)

const address = hex(20).transform((text) => getAddress(text))

/** A whole number however JSON carries it, as decimal digits. */
function digits(max: bigint) {
  const text = z
    .string()
    .max(DIGITS_MAX)
    .regex(/^(?:0|[1-9][0-9]*)$/)
  return z
    .union([z.number().int().nonnegative(), z.bigint().nonnegative(), text], 'a whole number')
    .transform(BigInt)
    .refine((value) => value <= max, `at most ${max}`)
    .transform(String)
}

/** 27 or 28, also where a signer counts from 0. */
const recoveryId = z
  .union([z.literal(0), z.literal(1), z.literal(27), z.literal(28)], '27 or 28')
  .transform((v) => (v < 27 ? v + 27 : v))

/** The form in which attestations travel. */
export const attestationSchema = z.object({
  version: attestationVersion,
  uid: hex(32),
  domain: z.object({
    name: word,
    version: word,
    chainId: digits(CHAIN_ID_MAX),
    verifyingContract: address,
  }),
  primaryType: word,
  types: z.strictObject(
    { Attest: z.array(z.object({ name: word, type: word })).max(FIELDS_MAX) },
    'the struct Attest alone',
  ),
  message: z.object({
    version: attestationVersion,
    schema: hex(32),
    recipient: address,
    /** Unix seconds. */
    time: digits(UINT64_MAX),
    expirationTime: digits(UINT64_MAX),
    revocable: z.boolean(),
    refUID: hex(32),
    data,
    salt: hex(32).exactOptional(),
  }),
  signature: z.object({ v: recoveryId, r: hex(32), s: hex(32) }),
})
/** An off-chain attestation as it travels: JSON, every bigint a decimal string. `salt` is absent in version 1. */
export type OffchainAttestation = z.output<typeof attestationSchema>

/**
 * An attestation from JSON (or from the EAS SDK, with its bigints) in the one form of `OffchainAttestation`: numbers as
 * decimal text, hex in lower case, addresses with checksum, v 27 or 28. Unknown keys are dropped. Nothing is proved by
 * this, see `verifyAttestation`.
 * @throws AttestdError attestation-invalid with the field that is wrong, never its value
 */
export function parseAttestation(value: unknown): OffchainAttestation {
  const parsed = attestationSchema.safeParse(value)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  const where = issue?.path.join('.') || 'the whole'
  throw new AttestdError('attestation-invalid', `The attestation is malformed at ${where}: ${issue?.message}.`)
}
