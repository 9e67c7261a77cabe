import { randomBytes } from 'node:crypto'
import { MemoryBlockstore } from 'blockstore-core'
import type { Hex } from 'viem'
import { systemClock } from '../core/clock.js'
import { silentLog } from '../core/log.js'
import { AssetBook } from './asset-book.js'
import {
  CHUNK_BYTES,
  DEFAULT_CHAIN_ID,
  DEFAULT_STAKE,
  HEARTBEAT_MS,
  JSON_BODY_LIMIT_BYTES,
  RATE_LIMIT,
  SLOW_READER_MS,
  SNAPSHOT_DELAY_MS,
  TIMESTAMP_WINDOW_MS,
  UPLOAD_LIMIT_BYTES,
} from './choices.js'
import { type DevelopmentWallets, developmentWallets } from './development-wallets.js'
import { DirectoryBlockstore } from './directory-blockstore.js'
import { FaultDesk } from './fault-desk.js'
import { KeyRing, type RandomBytes } from './key-ring.js'
import { MediaStore } from './media-store.js'
import { RateLimiter } from './rate-limiter.js'
import { MemoryRegistry } from './registry/memory-registry.js'
import type { StakeRegistry } from './registry/stake-registry.js'
import type { SandboxOptions } from './sandbox-options.js'
import { ScoreBook } from './score-book.js'
import { ServiceTime } from './service-time.js'
import { StakeBook } from './stake-book.js'
import { StreamHub } from './stream-hub.js'
import type { DevelopmentAccount, SandboxLimits, World } from './world.js'

/** The state of a new sandbox. @param stopping aborts when it closes */
export async function createWorld(options: SandboxOptions, stopping: AbortSignal): Promise<World> {
  const clock = options.clock ?? systemClock
  const random = options.random ?? randomBytes
  const time = new ServiceTime(clock, options.clockOffsetMs)
  const now = () => time.now()
  const wallets = developmentWallets(random, options.wallets)
  const account = accountOf(options, random, wallets)
  const stakes = new StakeBook(options.stake ?? DEFAULT_STAKE)
  return {
    clock,
    random,
    log: options.log ?? silentLog,
    limits: limitsOf(options),
    account,
    wallets,
    time,
    keys: new KeyRing({ random, now }),
    stakes,
    registry: options.registry ?? (await memoryRegistry(account, wallets, time, stakes)),
    assets: new AssetBook(now, options.run ?? ''),
    scores: new ScoreBook({ now, policy: options.duplicateScores ?? 'idempotent' }),
    media: await mediaStoreOf(options),
    faults: new FaultDesk(options.faults),
    limiter: new RateLimiter(options.rateLimit === undefined ? RATE_LIMIT : options.rateLimit, () => clock.monotonic()),
    streams: new StreamHub(),
    stopping,
  }
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
  }
}

/** A wallet of the account that has no known private key keeps its role beside the one that has. */
async function memoryRegistry(
  account: DevelopmentAccount,
  wallets: DevelopmentWallets,
  time: ServiceTime,
  stakes: StakeBook,
): Promise<StakeRegistry> {
  const registry = new MemoryRegistry({ chainId: DEFAULT_CHAIN_ID, time, stakes })
  for (const wallet of [wallets.attester.address, account.attesterWallet]) {
    await registry.setRoles(wallet, { attester: true, submitter: false })
  }
  for (const wallet of [wallets.submitter.address, account.submitterWallet]) {
    await registry.setRoles(wallet, { attester: false, submitter: true })
  }
  return registry
}

function accountOf(options: SandboxOptions, random: RandomBytes, wallets: DevelopmentWallets): DevelopmentAccount {
  return {
    sessionToken: options.sessionToken ?? `dev_${Buffer.from(random(16)).toString('hex')}`,
    attesterWallet: lowerCase(options.attesterKey?.wallet ?? wallets.attester.address),
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
