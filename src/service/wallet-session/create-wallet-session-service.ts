import { SharedReading } from '../../core/shared-reading.js'
import type { AttesterService } from '../port.js'
import type { ServiceClock } from '../service-clock.js'
import { createServiceParts, type ServiceOptions, type ServiceParts } from '../service-parts.js'
import { type Attest, WalletSessionAttesterService } from './attester-service.js'
import { AuthRoutes } from './auth-routes.js'
import type { LatestBlock } from './chain-latest.js'
import { WalletSessionClient } from './client.js'
import { SessionKeeper, type SessionKeeperOptions } from './session.js'
import { WALLET_FIXES } from './wallet-error.js'

/** Time between two blocks, and so the steps in which chain time moves, milliseconds: 2 s on Base and Base Sepolia. */
const BLOCK_INTERVAL_MS = 2_000
/** The latest block answers all who date an attestation within this time, milliseconds. */
const BLOCK_SHARED_MS = 1_000
/** How far the Date of an answer may be from service time, milliseconds, or as old as a block may be. */
const DATE_WITHIN_MS = 2 * 60_000
/** Service time that was read less than this ago, milliseconds, is not read again. */
const AHEAD_MAX_AGE_MS = 5_000

/** What the wallet-session API needs beyond `ServiceOptions`: a wallet that signs in, and its role. */
export interface WalletSessionOptions
  extends ServiceOptions,
    Pick<
      SessionKeeperOptions,
      'chainId' | 'challengeDomains' | 'confirmRole' | 'onRoleMissing' | 'onSession' | 'role' | 'signer'
    > {
  /** Absent where no score is submitted, as for a submitter. */
  readonly attest?: Attest
  /** Age that the latest block may have, milliseconds; one that old does not contradict the Date of the service. */
  readonly maxBlockAgeMs: number
}

/** The port with the parts behind it, which share one session and one clock and are closed together. */
export interface WalletSessionService {
  readonly service: AttesterService
  /** Service time, read from the latest block of the chain; needs a session with the role attester. */
  readonly clock: ServiceClock
  readonly client: WalletSessionClient
  readonly session: SessionKeeper
  close(): Promise<void>
}

/** The wallet-session API behind the port. */
export function createWalletSessionService(options: WalletSessionOptions): WalletSessionService {
  const { attest, chainId, clock, onMalformed, signer } = options
  const { address } = signer
  const parts: ServiceParts = createServiceParts(options, {
    readTime: async (signal) => (await client.chainLatest(signal)).timestamp * 1000,
    granularityMs: BLOCK_INTERVAL_MS,
    dateWithinMs: Math.max(DATE_WITHIN_MS, options.maxBlockAgeMs),
    fixes: WALLET_FIXES,
  })
  const { origin, http, reading } = parts
  const auth = new AuthRoutes(origin, http)
  const session = new SessionKeeper({ ...options, auth, origin, time: () => parts.clock.stated() })
  const client: WalletSessionClient = new WalletSessionClient({ origin, http, session, chainId })
  const blocks = new SharedReading<LatestBlock>({ clock, keptMs: BLOCK_SHARED_MS })
  const service = new WalletSessionAttesterService({
    client,
    session,
    reading,
    address,
    attest,
    onMalformed,
    latestBlock: (signal) => blocks.share(() => client.chainLatest(), signal),
    clock,
    windowMs: options.timestampWindowMs,
    // The failure is logged by the clock; the next try of the submission waits for it.
    onAhead: () => void parts.clock.refresh({ maxAgeMs: AHEAD_MAX_AGE_MS }).catch(() => {}),
  })
  const close = async () => {
    session.close()
    await parts.close()
  }
  return { service, clock: parts.clock, client, session, close }
}
