import type { EasProfileOptions } from '../chain/eas/profile.js'
import type { Clock } from '../core/clock.js'
import type { Log } from '../core/log.js'
import type { ContentHashAlgorithm } from '../media/media-source.js'
import type { RandomBytes } from './books/key-ring.js'
import type { DuplicateScorePolicy } from './books/score-book.js'
import type { WalletStake } from './books/stake-registry.js'
import type { FixedWallets } from './books/wallets.js'
import type { EmbeddedWalletOptions } from './embedded-wallet/provider.js'
import type { FaultPlanInput } from './faults/faults.js'
import type { RateLimit } from './http/rate-limiter.js'
import type { WalletSessionShapes } from './wallet-session/shapes.js'

/** A key that is the same in every run. */
export interface FixedKey {
  readonly accessKey: string
  readonly signingSecret: string
  /** 0x and 40 hex characters; made up where absent. */
  readonly wallet?: string
}

/** What attestations must be made for; where `attestationVersion` is absent, both versions are taken. */
export type EasOptions = Partial<Omit<EasProfileOptions, 'chainId'>>

/** Every option but the clock has a default, most of them in `choices.ts`. */
export interface SandboxOptions {
  /** @default '127.0.0.1' */
  readonly host?: string
  /** @default 0: any free port */
  readonly port?: number
  /** Lets `host` be an address that other machines reach. @default false */
  readonly allowRemote?: boolean
  /** @default 'Service' */
  readonly headerPrefix?: string
  /** @default 30000 */
  readonly timestampWindowMs?: number
  /** Per access key; null: none. @default 600 a minute */
  readonly rateLimit?: RateLimit | null
  /** @default 'idempotent' */
  readonly duplicateScores?: DuplicateScorePolicy
  readonly faults?: FaultPlanInput | undefined
  readonly heartbeatMs?: number
  readonly snapshotDelayMs?: number
  readonly slowReaderMs?: number
  readonly uploadLimitBytes?: number
  /** Goes into every asset id, so that runs of another name have other assets. @default '' */
  readonly run?: string
  /** Digest that contentHash means. @default 'sha256' */
  readonly contentHash?: ContentHashAlgorithm
  /** Largest leaf block, bytes. */
  readonly chunkBytes?: number
  /** Of every wallet at first. */
  readonly stake?: WalletStake
  /** Service time minus local time. @default 0 */
  readonly clockOffsetMs?: number
  /** `Date` of every answer less service time; null: answers have no `Date`. @default 0 */
  readonly dateOffsetMs?: number | null
  /** Made up at start where absent. */
  readonly attesterKey?: FixedKey
  readonly submitterKey?: FixedKey
  /** Linked to the default attester key where that names no wallet; the attester of `wallets` where absent. */
  readonly attesterWallet?: string
  readonly sessionToken?: string
  /** Signs the sessions of wallets; sessions outlive a restart where it stays the same. Made up where absent. */
  readonly sessionSecret?: string
  /** Private keys of the wallets that have a role from the start; made up where absent. */
  readonly wallets?: FixedWallets
  /** Of the stake contract's chain. @default 84532, Base Sepolia */
  readonly chainId?: number
  /** Where the wallets of v1's attesters are; null: v1 scores carry no attestation. @default local */
  readonly embeddedWallet?: EmbeddedWalletOptions | null
  /** Keeps assets, scores, keys, stake, roles and media in this folder. @default in memory */
  readonly dataDirectory?: string
  /** How long a wallet's challenge can be used, milliseconds. */
  readonly challengeMs?: number
  /** How long a wallet's session lasts, milliseconds. */
  readonly sessionMs?: number
  /** How often a wallet's stream looks for new assets, milliseconds. */
  readonly streamPollMs?: number
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
