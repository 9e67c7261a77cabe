import { z } from 'zod'
import type { EasProfileOptions } from '../chain/eas/profile.js'
import type { Clock } from '../core/clock.js'
import { AttestdError } from '../core/errors.js'
import type { Log } from '../core/log.js'
import { isLoopback } from '../core/net/loopback.js'
import type { ContentHashAlgorithm } from '../media/media-source.js'
import { issueText } from '../service/issue-text.js'
import { addressSchema } from '../service/wire-fields.js'
import type { RandomBytes } from './books/key-ring.js'
import type { DuplicateScorePolicy } from './books/score-book.js'
import type { WalletStake } from './books/stake-registry.js'
import { type FixedWallets, isPrivateKey } from './books/wallets.js'
import type { EmbeddedWalletOptions } from './embedded-wallet/provider.js'
import { FaultPlanSchema } from './faults/faults.js'
import { SESSION_SECRET_MIN } from './wallet-session/choices.js'
import type { WalletSessionShapes } from './wallet-session/shapes.js'

/** Clients refuse blocks above 2 MiB, and a leaf must leave room below that, bytes. */
const MAX_CHUNK_BYTES = 1024 * 1024

const milliseconds = z.int().min(1).exactOptional()
const privateKey = z
  .custom<NonNullable<FixedWallets['attester']>>(
    (text) => typeof text === 'string' && isPrivateKey(text),
    'must be a private key: 0x and 64 hex characters',
  )
  .exactOptional()
const fixedKey = z.object({
  accessKey: z.string().regex(/^[!-~]{1,200}$/, 'must be printable ASCII without spaces'),
  signingSecret: z.string().min(1),
  /** 0x and 40 hex characters; made up where absent. */
  wallet: addressSchema.exactOptional(),
})
/** A key that is the same in every run. */
export type FixedKey = Readonly<z.infer<typeof fixedKey>>

/** What people may give in a form that cannot work. */
const checkedOptions = z
  .object({
    /** @default 0: any free port */
    port: z.int().min(0).max(65_535).exactOptional(),
    /** @default 'Service' */
    headerPrefix: z
      .string()
      .regex(/^[A-Za-z][A-Za-z0-9-]*$/, 'must be letters, digits and hyphens')
      .exactOptional(),
    /** @default 30000 */
    timestampWindowMs: milliseconds,
    /** Per access key; null: none. @default 600 a minute */
    rateLimit: z
      .object({ requests: z.int().min(1), windowMs: z.int().min(1) })
      .nullable()
      .exactOptional(),
    heartbeatMs: milliseconds,
    /** Largest leaf block, bytes. */
    chunkBytes: z.int().min(1).max(MAX_CHUNK_BYTES).exactOptional(),
    /** Made up at start where absent. */
    attesterKey: fixedKey.exactOptional(),
    submitterKey: fixedKey.exactOptional(),
    /** Private keys of the wallets that have a role from the start; made up where absent. */
    wallets: z.object({ attester: privateKey, submitter: privateKey }).exactOptional(),
    /** Linked to the default attester key where that names no wallet; the attester of `wallets` where absent. */
    attesterWallet: addressSchema.exactOptional(),
    /** Of the stake contract's chain. @default 84532, Base Sepolia */
    chainId: z.int().min(1).exactOptional(),
    /** Keeps assets, scores, keys, stake, roles and media in this folder. @default in memory */
    dataDirectory: z.string().min(1).exactOptional(),
    /** Signs the sessions of wallets; sessions outlive a restart where it stays the same. Made up where absent. */
    sessionSecret: z.string().min(SESSION_SECRET_MIN).exactOptional(),
    /** How long a wallet's challenge can be used, milliseconds. */
    challengeMs: milliseconds,
    /** How long a wallet's session lasts, milliseconds. */
    sessionMs: milliseconds,
    /** How often a wallet's stream looks for new assets, milliseconds. */
    streamPollMs: milliseconds,
    faults: FaultPlanSchema.optional(),
  })
  .refine(
    ({ attesterKey, submitterKey }) => attesterKey === undefined || attesterKey.accessKey !== submitterKey?.accessKey,
    'attester and submitter key must differ',
  )

/** What attestations must be made for; where `attestationVersion` is absent, both versions are taken. */
export type EasOptions = Partial<Omit<EasProfileOptions, 'chainId'>>

/** Every option but the clock has a default, most of them in `choices.ts`. */
export interface SandboxOptions extends Readonly<z.input<typeof checkedOptions>> {
  /** @default '127.0.0.1' */
  readonly host?: string
  /** Lets `host` be an address that other machines reach. @default false */
  readonly allowRemote?: boolean
  /** @default 'idempotent' */
  readonly duplicateScores?: DuplicateScorePolicy
  readonly snapshotDelayMs?: number
  readonly slowReaderMs?: number
  readonly uploadLimitBytes?: number
  /** Goes into every asset id, so that runs of another name have other assets. @default '' */
  readonly run?: string
  /** Digest that contentHash means. @default 'sha256' */
  readonly contentHash?: ContentHashAlgorithm
  /** Of every wallet at first. */
  readonly stake?: WalletStake
  /** Service time minus local time. @default 0 */
  readonly clockOffsetMs?: number
  /** `Date` of every answer less service time; null: answers have no `Date`. @default 0 */
  readonly dateOffsetMs?: number | null
  readonly sessionToken?: string
  /** Where the wallets of v1's attesters are; null: v1 scores carry no attestation. @default local */
  readonly embeddedWallet?: EmbeddedWalletOptions | null
  /** Other shapes of the wallet-session API, for tests of clients. */
  readonly shapes?: WalletSessionShapes
  /** What attestations must be made for; their chain is that of the stake contract. */
  readonly eas?: EasOptions
  /** Development only: every request of the wallet-session API has both roles. Never where other machines reach. @default false */
  readonly disableAuth?: boolean
  readonly clock: Clock
  readonly random?: RandomBytes
  readonly log?: Log
}

/** @throws AttestdError setting-invalid for options that people give and that cannot work, or that would let other machines in unasked */
export function checkOptions(options: Omit<SandboxOptions, 'clock'>): void {
  const parsed = checkedOptions.safeParse(options)
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
