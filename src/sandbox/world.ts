import type { Hex } from 'viem'
import type { Clock } from '../core/clock.js'
import type { Log } from '../core/log.js'
import type { AssetBook } from './asset-book.js'
import type { DevelopmentWallets } from './development-wallets.js'
import type { EmbeddedWallets } from './embedded-wallet/provider.js'
import type { FaultDesk } from './fault-desk.js'
import type { KeyRing, RandomBytes } from './key-ring.js'
import type { MediaStore } from './media-store.js'
import type { RateLimiter } from './rate-limiter.js'
import type { StakeRegistry } from './registry/stake-registry.js'
import type { RoleBook } from './role-book.js'
import type { ScoreBook } from './score-book.js'
import type { ServiceTime } from './service-time.js'
import type { StakeBook } from './stake-book.js'
import type { Storage } from './storage/storage.js'
import type { StreamHub } from './stream-hub.js'
import type { WalletKeys } from './wallet-keys.js'
import type { SessionDesk } from './wallet-session/session-desk.js'

/** Numbers and names that the routes go by. */
export interface SandboxLimits {
  readonly headerPrefix: string
  readonly timestampWindowMs: number
  readonly heartbeatMs: number
  readonly snapshotDelayMs: number
  readonly slowReaderMs: number
  readonly jsonBodyBytes: number
  readonly uploadBytes: number
}

/** The account behind the session token. */
export interface DevelopmentAccount {
  readonly sessionToken: string
  /** 0x and 40 hex characters, lower case. */
  readonly attesterWallet: Hex
  readonly submitterWallet: Hex
}

/** The state that every API on this origin shares. */
export interface World {
  readonly clock: Clock
  readonly log: Log
  readonly random: RandomBytes
  readonly limits: SandboxLimits
  readonly account: DevelopmentAccount
  readonly wallets: DevelopmentWallets
  readonly walletKeys: WalletKeys
  /** Signs v1's attestations; null: there are none. */
  readonly embeddedWallets: EmbeddedWallets | null
  readonly time: ServiceTime
  readonly keys: KeyRing
  readonly stakes: StakeBook
  /** Roles as the sandbox wants them in the registry. */
  readonly roles: RoleBook
  /** Roles and stake as the stake contract has them, and its chain. */
  readonly registry: StakeRegistry
  readonly walletSession: SessionDesk
  readonly assets: AssetBook
  readonly scores: ScoreBook
  readonly media: MediaStore
  readonly faults: FaultDesk
  readonly limiter: RateLimiter
  readonly streams: StreamHub
  readonly storage: Storage
  /** Aborts when the sandbox closes; everything that waits ends with it. */
  readonly stopping: AbortSignal
}
