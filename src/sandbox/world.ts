import type { ServerResponse } from 'node:http'
import type { Hex } from 'viem'
import type { Clock } from '../core/clock.js'
import type { Log } from '../core/log.js'
import type { KeyKind } from '../service/signed-key/schemas.js'
import type { AssetBook } from './books/asset-book.js'
import type { KeyRing } from './books/key-ring.js'
import type { ScoreBook } from './books/score-book.js'
import type { StakeRegistry } from './books/stake-registry.js'
import type { DevelopmentWallets, WalletKeys } from './books/wallets.js'
import type { EmbeddedWallets } from './embedded-wallet/provider.js'
import type { FaultDesk } from './faults/fault-desk.js'
import type { MediaStore } from './gateway/media-store.js'
import type { RateLimiter } from './http/rate-limiter.js'
import type { CheckedOptions } from './sandbox-options.js'
import type { ServiceTime } from './service-time.js'
import type { Identity } from './storage/kept-state.js'
import type { Storage } from './storage/storage.js'
import type { SessionDesk } from './wallet-session/session-desk.js'

/** The options, with what was kept or made up where they state nothing. */
export type CompleteOptions = CheckedOptions & Identity

/** The state that every API on this origin shares. */
export interface World {
  readonly options: CompleteOptions
  readonly clock: Clock
  readonly log: Log
  /** The wallets of the account behind the session token, lower case. */
  readonly account: Readonly<Record<KeyKind, Hex>>
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
  /** The streams that are open; destroying a response ends its stream at once. */
  readonly streams: Set<ServerResponse>
  readonly storage: Storage
  /** Aborts when the sandbox closes; everything that waits ends with it. */
  readonly stopping: AbortSignal
}
