import type { Clock } from '../core/clock.js'
import type { Log } from '../core/log.js'
import type { ContentHashAlgorithm } from '../media/media-source.js'
import type { FixedWallets } from './development-wallets.js'
import type { FaultPlanInput } from './faults.js'
import type { RandomBytes } from './key-ring.js'
import type { RateLimit } from './rate-limiter.js'
import type { StakeRegistry } from './registry/stake-registry.js'
import type { DuplicateScorePolicy } from './score-book.js'
import type { WalletStake } from './stake-book.js'

/** A key that is the same in every run. */
export interface FixedKey {
  readonly accessKey: string
  readonly signingSecret: string
  /** 0x and 40 hex characters; made up where absent. */
  readonly wallet?: string
}

/** Every option has a default, most of them in `choices.ts`. */
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
  readonly faults?: FaultPlanInput
  readonly heartbeatMs?: number
  readonly snapshotDelayMs?: number
  readonly slowReaderMs?: number
  readonly jsonBodyLimitBytes?: number
  readonly uploadLimitBytes?: number
  /** Goes into every asset id, so that runs of another name have other assets. @default '' */
  readonly run?: string
  /** Digest that contentHash means. @default 'sha256' */
  readonly contentHash?: ContentHashAlgorithm
  /** Largest leaf block, bytes. */
  readonly chunkBytes?: number
  /** Keeps the blocks in this directory. @default in memory */
  readonly mediaDirectory?: string
  /** Of every wallet at first. */
  readonly stake?: WalletStake
  /** Service time minus local time. @default 0 */
  readonly clockOffsetMs?: number
  /** Made up at start where absent. */
  readonly attesterKey?: FixedKey
  readonly submitterKey?: FixedKey
  readonly sessionToken?: string
  /** Private keys of the wallets that have a role from the start; made up where absent. */
  readonly wallets?: FixedWallets
  /** The stake contract and its chain. @default in memory */
  readonly registry?: StakeRegistry
  readonly clock?: Clock
  readonly random?: RandomBytes
  readonly log?: Log
}
