import { z } from 'zod'
import type { EasProfileOptions } from '../chain/eas/profile.js'
import type { Clock } from '../core/clock.js'
import { AttestdError } from '../core/errors.js'
import { type Log, silentLog } from '../core/log.js'
import { isLoopback } from '../core/net/loopback.js'
import { issueText } from '../service/shape-text.js'
import { addressSchema } from '../service/wire-fields.js'
import { DUPLICATE_SCORE_POLICIES } from './books/score-book.js'
import { privateKeySchema } from './books/wallets.js'
import * as choices from './choices.js'
import type { EmbeddedWalletOptions } from './embedded-wallet/provider.js'
import { FaultPlanSchema } from './faults/faults.js'
import * as sessionChoices from './wallet-session/choices.js'
import type { WalletSessionShapes } from './wallet-session/shapes.js'

/** Clients refuse blocks above 2 MiB, and a leaf must leave room below that, bytes. */
const MAX_CHUNK_BYTES = 1024 * 1024

const milliseconds = z.int().min(1)
const privateKey = privateKeySchema.exactOptional()
/** A key that is the same in every run. */
const fixedKey = z.object({
  accessKey: z.string().regex(/^[!-~]{1,200}$/, 'must be printable ASCII without spaces'),
  signingSecret: z.string().min(1),
  /** 0x and 40 hex characters; made up where absent. */
  wallet: addressSchema.exactOptional(),
})

/** What attestations must be made for; where `attestationVersion` is absent, both versions are taken. */
export type EasOptions = Partial<Omit<EasProfileOptions, 'chainId'>>

const optionsSchema = z
  .object({
    clock: z.custom<Clock>(),
    log: z.custom<Log>().default(silentLog),
    host: z.string().default('127.0.0.1'),
    /** Lets `host` be an address that other machines reach. */
    allowRemote: z.boolean().default(false),
    /** 0: any free port. */
    port: z.int().min(0).max(65_535).default(0),
    headerPrefix: z
      .string()
      .regex(/^[A-Za-z][A-Za-z0-9-]*$/, 'must be letters, digits and hyphens')
      .default('Service'),
    timestampWindowMs: milliseconds.default(choices.TIMESTAMP_WINDOW_MS),
    /** Per access key; null: none. */
    rateLimit: z
      .object({ requests: z.int().min(1), windowMs: z.int().min(1) })
      .nullable()
      .default(choices.RATE_LIMIT),
    heartbeatMs: milliseconds.default(choices.HEARTBEAT_MS),
    snapshotDelayMs: milliseconds.default(choices.SNAPSHOT_DELAY_MS),
    slowReaderMs: milliseconds.default(choices.SLOW_READER_MS),
    uploadLimitBytes: z.int().min(1).default(choices.UPLOAD_LIMIT_BYTES),
    /** Largest leaf block, bytes. */
    chunkBytes: z.int().min(1).max(MAX_CHUNK_BYTES).default(choices.CHUNK_BYTES),
    duplicateScores: z.enum(DUPLICATE_SCORE_POLICIES).default('idempotent'),
    /** Digest that contentHash means. */
    contentHash: z.enum(['sha256', 'keccak256']).default('sha256'),
    /** Of every wallet at first. */
    stake: z.object({ stakedWei: z.bigint(), minStakeWei: z.bigint() }).default(choices.DEFAULT_STAKE),
    /** Service time minus local time. */
    clockOffsetMs: z.number().default(0),
    /** `Date` of every answer less service time; null: answers have no `Date`. */
    dateOffsetMs: z.number().nullable().default(0),
    /** Of the stake contract's chain. */
    chainId: z.int().min(1).default(choices.DEFAULT_CHAIN_ID),
    /** Goes into every asset id, so that runs of another name have other assets. Empty where absent, made up with `dataDirectory`. */
    run: z.string().exactOptional(),
    sessionToken: z.string().exactOptional(),
    attesterKey: fixedKey.exactOptional(),
    submitterKey: fixedKey.exactOptional(),
    /** Private keys of the wallets that have a role from the start; made up where absent. */
    wallets: z.object({ attester: privateKey, submitter: privateKey }).exactOptional(),
    /** Linked to the default attester key where that names no wallet; the attester of `wallets` where absent. */
    attesterWallet: addressSchema.exactOptional(),
    /** Keeps assets, scores, keys, stake, roles and media in this folder; in memory where absent. */
    dataDirectory: z.string().min(1).exactOptional(),
    /** Signs the sessions of wallets; sessions outlive a restart where it stays the same. Made up where absent. */
    sessionSecret: z.string().min(sessionChoices.SESSION_SECRET_MIN).exactOptional(),
    /** How long a wallet's challenge can be used, milliseconds. */
    challengeMs: milliseconds.default(sessionChoices.CHALLENGE_MS),
    /** How long a wallet's session lasts, milliseconds. */
    sessionMs: milliseconds.default(sessionChoices.SESSION_MS),
    /** How often a wallet's stream looks for new assets, milliseconds. */
    streamPollMs: milliseconds.default(sessionChoices.STREAM_POLL_MS),
    /** Where the wallets of v1's attesters are; null: v1 scores carry no attestation. */
    embeddedWallet: z.custom<EmbeddedWalletOptions | null>().default({ kind: 'local' }),
    /** Other shapes of the wallet-session API, for tests of clients. */
    shapes: z.custom<WalletSessionShapes>().default({}),
    /** What attestations must be made for; their chain is that of the stake contract. */
    eas: z.custom<EasOptions>().default({}),
    /** Development only: every request of the wallet-session API has both roles. Never where other machines reach. */
    disableAuth: z.boolean().default(false),
    faults: FaultPlanSchema.optional(),
  })
  .refine(
    ({ attesterKey, submitterKey }) => attesterKey === undefined || attesterKey.accessKey !== submitterKey?.accessKey,
    'attester and submitter key must differ',
  )

/** Every option but the clock has a default, most of them in `choices.ts`. */
export type SandboxOptions = Readonly<z.input<typeof optionsSchema>>
/** The same with the defaults filled in; what is made up where it is absent may still be. */
export type CheckedOptions = Readonly<z.output<typeof optionsSchema>>

/** Fills in the defaults. @throws AttestdError setting-invalid for options that cannot work, or that would let other machines in unasked */
export function checkOptions(given: SandboxOptions): CheckedOptions {
  const parsed = optionsSchema.safeParse(given)
  if (!parsed.success) {
    throw new AttestdError('setting-invalid', `The sandbox cannot start: ${issueText(parsed.error)}.`)
  }
  const { host, allowRemote, disableAuth } = parsed.data
  if (disableAuth && (!isLoopback(host) || allowRemote)) {
    throw new AttestdError(
      'setting-invalid',
      'The sandbox does not start without authentication where other machines could reach it.',
    )
  }
  if (!isLoopback(host) && !allowRemote) {
    throw new AttestdError(
      'setting-invalid',
      `The sandbox does not listen on ${host}, where other machines could reach it, unless that is allowed.`,
    )
  }
  return parsed.data
}
