import { isHex } from 'viem'
import { z } from 'zod'
import { AttestdError, errorText } from '../../core/errors.js'
import { readFileIfPresent, writeFileAtomic } from '../../core/files.js'
import { issueText } from '../../service/issue-text.js'
import { isPrivateKey } from '../books/development-wallets.js'
import type { RandomBytes } from '../books/key-ring.js'

const PrivateKey = z.custom<`0x${string}`>((value) => isHex(value) && isPrivateKey(value), 'must be a private key')
const Secret = z.string().min(1)
const Key = z.strictObject({ accessKey: Secret, signingSecret: Secret })

const IdentitySchema = z.strictObject({
  version: z.literal(1),
  /** Goes into every asset id. */
  run: z.string(),
  /** Of the dashboard. */
  sessionToken: Secret,
  /** Signs the sessions of wallets. */
  sessionSecret: Secret,
  attesterKey: Key,
  submitterKey: Key,
  wallets: z.strictObject({ attester: PrivateKey, submitter: PrivateKey }),
})

/** Secrets and names of a sandbox that are the same after a restart. */
export type Identity = z.infer<typeof IdentitySchema>

/**
 * Reads the file, or makes it, mode 600.
 * @throws AttestdError sandbox-data-invalid for a file that is there and cannot be read, which is left as it is; data-dir-unusable
 */
export async function openIdentity(file: string, random: RandomBytes): Promise<Identity> {
  const bytes = await readFileIfPresent(file)
  if (bytes !== null) return parsed(file, bytes.toString('utf8'))
  const identity = newIdentity((size) => Buffer.from(random(size)).toString('hex'))
  try {
    await writeFileAtomic(file, `${JSON.stringify(identity, null, 2)}\n`)
  } catch (error) {
    throw new AttestdError('data-dir-unusable', `${file} cannot be written: ${errorText(error)}`, { cause: error })
  }
  return identity
}

function newIdentity(hex: (size: number) => string): Identity {
  return {
    version: 1,
    run: hex(16),
    sessionToken: `dev_${hex(16)}`,
    sessionSecret: hex(32),
    attesterKey: { accessKey: `ak_att_${hex(12)}`, signingSecret: `sk_${hex(32)}` },
    submitterKey: { accessKey: `ak_sub_${hex(12)}`, signingSecret: `sk_${hex(32)}` },
    wallets: { attester: `0x${hex(32)}`, submitter: `0x${hex(32)}` },
  }
}

function parsed(file: string, text: string): Identity {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    value = undefined
  }
  const result = IdentitySchema.safeParse(value)
  if (result.success) return result.data
  const what = issueText(result.error)
  throw new AttestdError('sandbox-data-invalid', `${file} cannot be read, ${what}. Nothing was changed.`)
}
