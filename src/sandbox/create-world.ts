import { randomBytes } from 'node:crypto'
import { MemoryBlockstore } from 'blockstore-core'
import type { Hex } from 'viem'
import { silentLog } from '../core/log.js'
import { AssetBook } from './books/asset-book.js'
import { KeyRing } from './books/key-ring.js'
import { ScoreBook } from './books/score-book.js'
import { type Roles, StakeRegistry } from './books/stake-registry.js'
import { type DevelopmentWallets, developmentWallets, WalletKeys } from './books/wallets.js'
import {
  CHUNK_BYTES,
  DEFAULT_CHAIN_ID,
  DEFAULT_STAKE,
  HEARTBEAT_MS,
  RATE_LIMIT,
  SLOW_READER_MS,
  SNAPSHOT_DELAY_MS,
  TIMESTAMP_WINDOW_MS,
  UPLOAD_LIMIT_BYTES,
} from './choices.js'
import { openEmbeddedWallets } from './embedded-wallet/provider.js'
import { FaultDesk } from './faults/fault-desk.js'
import { DirectoryBlockstore } from './gateway/directory-blockstore.js'
import { MediaStore } from './gateway/media-store.js'
import { RateLimiter } from './http/rate-limiter.js'
import type { SandboxOptions } from './sandbox-options.js'
import { ServiceTime } from './service-time.js'
import type { KeptBooks } from './storage/kept-state.js'
import type { Storage } from './storage/storage.js'
import { OpenStreams } from './stream/open-streams.js'
import { sessionDesk } from './wallet-session/session-desk.js'
import type { DevelopmentAccount, SandboxLimits, World } from './world.js'

/** The state of a new sandbox, or of one that goes on from its storage. @param stopping aborts when it closes */
export async function createWorld(options: SandboxOptions, storage: Storage, stopping: AbortSignal): Promise<World> {
  const { clock, embeddedWallet = { kind: 'local' }, random = randomBytes, rateLimit = RATE_LIMIT } = options
  const time = new ServiceTime(clock, options.clockOffsetMs)
  const now = () => time.now()
  const wallets = developmentWallets(random, options.wallets)
  const account = accountOf(options, random, wallets)
  const { kept } = storage
  const touched = () => storage.touch()
  const walletKeys = new WalletKeys({ random, wallets, touched, kept: kept.wallets })
  const chainId = options.chainId ?? DEFAULT_CHAIN_ID
  const stake = options.stake ?? DEFAULT_STAKE
  const roles = rolesAtFirst(account, wallets)
  return {
    clock,
    random,
    log: options.log ?? silentLog,
    limits: limitsOf(options),
    account,
    wallets,
    walletKeys,
    time,
    assets: new AssetBook({ now, touched, kept: kept.assets, run: options.run ?? '' }),
    scores: new ScoreBook({ now, touched, kept: kept.scores, policy: options.duplicateScores ?? 'idempotent' }),
    keys: new KeyRing({ now, touched, kept: kept.keys, random }),
    registry: new StakeRegistry({ chainId, now, stake, roles, changed: touched }, kept),
    embeddedWallets:
      embeddedWallet === null ? null : openEmbeddedWallets(embeddedWallet, walletKeys, { clock, signal: stopping }),
    walletSession: sessionDesk(options, { random, now, chainId }),
    media: await mediaStoreOf(options, storage),
    faults: new FaultDesk(options.faults),
    limiter: new RateLimiter(rateLimit, () => clock.monotonic()),
    streams: new OpenStreams(),
    storage,
    stopping,
  }
}

/** What the storage keeps of a world. */
export function keptBooksOf({ assets, scores, keys, walletKeys, registry }: World): KeptBooks {
  return {
    assets: assets.all(),
    scores: scores.all(),
    keys: keys.all(),
    wallets: walletKeys.made(),
    ...registry.kept(),
  }
}

function limitsOf(options: SandboxOptions): SandboxLimits {
  return {
    headerPrefix: options.headerPrefix ?? 'Service',
    timestampWindowMs: options.timestampWindowMs ?? TIMESTAMP_WINDOW_MS,
    heartbeatMs: options.heartbeatMs ?? HEARTBEAT_MS,
    snapshotDelayMs: options.snapshotDelayMs ?? SNAPSHOT_DELAY_MS,
    slowReaderMs: options.slowReaderMs ?? SLOW_READER_MS,
    uploadBytes: options.uploadLimitBytes ?? UPLOAD_LIMIT_BYTES,
    dateOffsetMs: options.dateOffsetMs === undefined ? 0 : options.dateOffsetMs,
  }
}

/** A wallet of the account that has no known private key has its role in addition to the one that has. */
function rolesAtFirst(account: DevelopmentAccount, wallets: DevelopmentWallets): Map<Hex, Roles> {
  const submitter: Roles = { submitter: true, attester: false }
  const attester: Roles = { submitter: false, attester: true }
  return new Map([
    [wallets.submitter.address, submitter],
    [account.submitterWallet, submitter],
    [wallets.attester.address, attester],
    [account.attesterWallet, attester],
  ])
}

function accountOf(
  options: SandboxOptions,
  random: NonNullable<SandboxOptions['random']>,
  wallets: DevelopmentWallets,
): DevelopmentAccount {
  return {
    sessionToken: options.sessionToken ?? `dev_${Buffer.from(random(16)).toString('hex')}`,
    attesterWallet: lowerCase(options.attesterKey?.wallet ?? options.attesterWallet ?? wallets.attester.address),
    submitterWallet: lowerCase(options.submitterKey?.wallet ?? wallets.submitter.address),
  }
}

const lowerCase = (wallet: string): Hex => wallet.toLowerCase() as Hex

async function mediaStoreOf(options: SandboxOptions, { mediaDirectory }: Storage): Promise<MediaStore> {
  return new MediaStore({
    blocks: mediaDirectory === null ? new MemoryBlockstore() : await DirectoryBlockstore.open(mediaDirectory),
    algorithm: options.contentHash ?? 'sha256',
    chunkBytes: options.chunkBytes ?? CHUNK_BYTES,
  })
}
