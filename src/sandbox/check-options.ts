import { z } from 'zod'
import { AttestdError } from '../core/errors.js'
import { isLoopback } from '../core/net/loopback.js'
import { issueText } from '../service/issue-text.js'
import { addressSchema } from '../service/wire-fields.js'
import { isPrivateKey } from './books/wallets.js'
import { FaultPlanSchema } from './faults/faults.js'
import type { SandboxOptions } from './sandbox-options.js'
import { SESSION_SECRET_MIN } from './wallet-session/choices.js'

/** Clients refuse blocks above 2 MiB, and a leaf must leave room below that, bytes. */
const MAX_CHUNK_BYTES = 1024 * 1024

const Milliseconds = z.int().min(1)
const PrivateKeySchema = z.string().refine(isPrivateKey, 'must be a private key: 0x and 64 hex characters')
const FixedKeySchema = z.looseObject({
  accessKey: z.string().regex(/^[!-~]{1,200}$/, 'must be printable ASCII without spaces'),
  signingSecret: z.string().min(1),
  wallet: addressSchema.optional(),
})

const OptionsSchema = z
  .looseObject({
    port: z.int().min(0).max(65_535).optional(),
    headerPrefix: z
      .string()
      .regex(/^[A-Za-z][A-Za-z0-9-]*$/, 'must be letters, digits and hyphens')
      .optional(),
    timestampWindowMs: Milliseconds.optional(),
    rateLimit: z.looseObject({ requests: z.int().min(1), windowMs: Milliseconds }).nullish(),
    heartbeatMs: Milliseconds.optional(),
    chunkBytes: z.int().min(1).max(MAX_CHUNK_BYTES).optional(),
    attesterKey: FixedKeySchema.optional(),
    submitterKey: FixedKeySchema.optional(),
    wallets: z
      .looseObject({ attester: PrivateKeySchema.optional(), submitter: PrivateKeySchema.optional() })
      .optional(),
    attesterWallet: addressSchema.optional(),
    chainId: z.int().min(1).optional(),
    dataDirectory: z.string().min(1).optional(),
    sessionSecret: z.string().min(SESSION_SECRET_MIN).optional(),
    challengeMs: Milliseconds.optional(),
    sessionMs: Milliseconds.optional(),
    streamPollMs: Milliseconds.optional(),
    faults: FaultPlanSchema.optional(),
  })
  .refine(
    ({ attesterKey, submitterKey }) => attesterKey === undefined || attesterKey.accessKey !== submitterKey?.accessKey,
    'attester and submitter key must differ',
  )

/** @throws AttestdError setting-invalid for options that people give and that cannot work, or that would let other machines in unasked */
export function checkOptions(options: Omit<SandboxOptions, 'clock'>): void {
  const parsed = OptionsSchema.safeParse(options)
  if (!parsed.success) {
    throw new AttestdError('setting-invalid', `The sandbox cannot start: ${issueText(parsed.error)}.`)
  }
  const { host, allowRemote, disableAuth } = options
  if (disableAuth === true && ((host !== undefined && !isLoopback(host)) || allowRemote === true)) {
    throw new AttestdError(
      'setting-invalid',
      'The sandbox does not start without authentication where other machines could reach it.',
    )
  }
  if (host !== undefined && !isLoopback(host) && allowRemote !== true) {
    throw new AttestdError(
      'setting-invalid',
      `The sandbox does not listen on ${host}, where other machines could reach it, unless that is allowed.`,
    )
  }
}
