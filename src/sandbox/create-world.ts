import { randomBytes } from 'node:crypto'
import { MemoryBlockstore } from 'blockstore-core'
import type { Hex } from 'viem'
import type { Clock } from '../core/clock.js'
import { silentLog } from '../core/log.js'
import { type DevelopmentWallets, developmentWallets } from './books/development-wallets.js'
import type { RandomBytes } from './books/key-ring.js'
import type { WalletKeys } from './books/wallet-keys.js'
import {
  CHUNK_BYTES,
  DEFAULT_CHAIN_ID,
  HEARTBEAT_MS,
  JSON_BODY_LIMIT_BYTES,
  RATE_LIMIT,
  SLOW_READER_MS,
  SNAPSHOT_DELAY_MS,
  TIMESTAMP_WINDOW_MS,
  UPLOAD_LIMIT_BYTES,
} from './choices.js'
import { type EmbeddedWallets, openEmbeddedWallets } from './embedded-wallet/provider.js'
import { FaultDesk } from './faults/fault-desk.js'
import { DirectoryBlockstore } from './gateway/directory-blockstore.js'
import { MediaStore } from './gateway/media-store.js'
import { RateLimiter } from './http/rate-limiter.js'
import { openRegistry, type RegistryOptions } from './registry/open-registry.js'
import type { Roles, StakeRegistry } from './registry/stake-registry.js'
import type { SandboxOptions } from './sandbox-options.js'
import { ServiceTime } from './service-time.js'
import { openBooks } from './storage/open-books.js'
import type { Storage } from './storage/storage.js'
import { StreamHub } from './stream/stream-hub.js'
import { sessionDesk } from './wallet-session/session-desk.js'
import type { DevelopmentAccount, SandboxLimits, World } from './world.js'

/** The state of a new sandbox, or of one that goes on from its storage. @param stopping aborts when it closes */
export async function createWorld(options: SandboxOptions, storage: Storage, stopping: AbortSignal): Promise<World> {
  const { clock } = options
  const random = options.random ?? randomBytes
  const log = options.log ?? silentLog
  const time = new ServiceTime(clock, options.clockOffsetMs)
  const now = () => time.now()
  const wallets = developmentWallets(random, options.wallets)
  const account = accountOf(options, random, wallets)
  const books = openBooks(options, storage, { now, random, initialRoles: initialRoles(account, wallets) })
  const { stakes, roles, walletKeys } = books
  for (const wallet of Object.values(wallets)) walletKeys.restore(wallet)
  const registry =
    options.registry ?? (await registryOf(options, { stakes, roles, time, clock, log, signal: stopping }))
  return {
    ...books,
    clock,
    random,
    log,
    limits: limitsOf(options),
    account,
    wallets,
    time,
    registry,
    embeddedWallets: embeddedWalletsOf(options, walletKeys, { clock, signal: stopping }),
    walletSession: sessionDesk(options, { random, now, chainId: registry.chainId }),
    media: await mediaStoreOf(options),
    faults: new FaultDesk(options.faults),
    limiter: new RateLimiter(options.rateLimit === undefined ? RATE_LIMIT : options.rateLimit, () => clock.monotonic()),
    streams: new StreamHub(),
    storage,
    stopping,
  }
}

function embeddedWalletsOf(
  { embeddedWallet = { kind: 'local' } }: SandboxOptions,
  keys: WalletKeys,
  requests: { readonly clock: Clock; readonly signal: AbortSignal },
): EmbeddedWallets | null {
  return embeddedWallet === null ? null : openEmbeddedWallets(embeddedWallet, keys, requests)
}

function registryOf(
  options: SandboxOptions,
  parts: Pick<RegistryOptions, 'stakes' | 'roles' | 'time' | 'clock' | 'log' | 'signal'>,
): Promise<StakeRegistry> {
  return openRegistry({
    ...parts,
    chain: options.chain ?? 'memory',
    chainId: options.chainId ?? DEFAULT_CHAIN_ID,
    searchPath: options.searchPath ?? '',
  })
}

function limitsOf(options: SandboxOptions): SandboxLimits {
  return {
    headerPrefix: options.headerPrefix ?? 'Service',
    timestampWindowMs: options.timestampWindowMs ?? TIMESTAMP_WINDOW_MS,
    heartbeatMs: options.heartbeatMs ?? HEARTBEAT_MS,
    snapshotDelayMs: options.snapshotDelayMs ?? SNAPSHOT_DELAY_MS,
    slowReaderMs: options.slowReaderMs ?? SLOW_READER_MS,
    jsonBodyBytes: options.jsonBodyLimitBytes ?? JSON_BODY_LIMIT_BYTES,
    uploadBytes: options.uploadLimitBytes ?? UPLOAD_LIMIT_BYTES,
    dateOffsetMs: options.dateOffsetMs === undefined ? 0 : options.dateOffsetMs,
  }
}

/** A wallet of the account that has no known private key has its role beside the one that has. */
function initialRoles(account: DevelopmentAccount, wallets: DevelopmentWallets): Map<Hex, Roles> {
  const submitter: Roles = { submitter: true, attester: false }
  const attester: Roles = { submitter: false, attester: true }
  return new Map([
    [wallets.submitter.address, submitter],
    [account.submitterWallet, submitter],
    [wallets.attester.address, attester],
    [account.attesterWallet, attester],
  ])
}

function accountOf(options: SandboxOptions, random: RandomBytes, wallets: DevelopmentWallets): DevelopmentAccount {
  return {
    sessionToken: options.sessionToken ?? `dev_${Buffer.from(random(16)).toString('hex')}`,
    attesterWallet: lowerCase(options.attesterKey?.wallet ?? options.attesterWallet ?? wallets.attester.address),
    submitterWallet: lowerCase(options.submitterKey?.wallet ?? wallets.submitter.address),
  }
}

function lowerCase(wallet: string): Hex {
  return wallet.toLowerCase() as Hex
}

async function mediaStoreOf(options: SandboxOptions): Promise<MediaStore> {
  const { mediaDirectory } = options
  return new MediaStore({
    blocks: mediaDirectory === undefined ? new MemoryBlockstore() : await DirectoryBlockstore.open(mediaDirectory),
    algorithm: options.contentHash ?? 'sha256',
    chunkBytes: options.chunkBytes ?? CHUNK_BYTES,
  })
}
