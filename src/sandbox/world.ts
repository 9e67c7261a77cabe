import type { Hex } from 'viem'
import type { Clock } from '../core/clock.js'
import type { Log } from '../core/log.js'
import type { AssetBook } from './books/asset-book.js'
import type { KeyRing, RandomBytes } from './books/key-ring.js'
import type { ScoreBook } from './books/score-book.js'
import type { StakeRegistry } from './books/stake-registry.js'
import type { DevelopmentWallets, WalletKeys } from './books/wallets.js'
import type { EmbeddedWallets } from './embedded-wallet/provider.js'
import type { FaultDesk } from './faults/fault-desk.js'
import type { MediaStore } from './gateway/media-store.js'
import type { RateLimiter } from './http/rate-limiter.js'
import type { SandboxOptions } from './sandbox-options.js'
import type { ServiceTime } from './service-time.js'
import type { Storage } from './storage/storage.js'
import type { OpenStreams } from './stream/open-streams.js'
import type { SessionDesk } from './wallet-session/session-desk.js'

/** Numbers and names that the routes go by. */
export type SandboxLimits = Required<
  Pick<
    SandboxOptions,
    'headerPrefix' | 'timestampWindowMs' | 'heartbeatMs' | 'snapshotDelayMs' | 'slowReaderMs' | 'dateOffsetMs'
  >
> & { readonly uploadBytes: number }

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
  /** Stake and roles, and the chain of the stake contract. */
  readonly registry: StakeRegistry
  readonly walletSession: SessionDesk
  readonly assets: AssetBook
  readonly scores: ScoreBook
  readonly media: MediaStore
  readonly faults: FaultDesk
  readonly limiter: RateLimiter
  readonly streams: OpenStreams
  readonly storage: Storage
  /** Aborts when the sandbox closes; everything that waits ends with it. */
  readonly stopping: AbortSignal
}
