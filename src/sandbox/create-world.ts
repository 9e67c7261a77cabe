import { MemoryBlockstore } from 'blockstore-core'
import type { Hex } from 'viem'
import { AssetBook } from './books/asset-book.js'
import { KeyRing } from './books/key-ring.js'
import { ScoreBook } from './books/score-book.js'
import { type Roles, StakeRegistry } from './books/stake-registry.js'
import { type DevelopmentWallets, developmentWallet, WalletKeys } from './books/wallets.js'
import { openEmbeddedWallets } from './embedded-wallet/provider.js'
import { FaultDesk } from './faults/fault-desk.js'
import { DirectoryBlockstore } from './gateway/directory-blockstore.js'
import { MediaStore } from './gateway/media-store.js'
import { RateLimiter } from './http/rate-limiter.js'
import type { CheckedOptions } from './sandbox-options.js'
import { ServiceTime } from './service-time.js'
import type { KeptBooks } from './storage/kept-state.js'
import type { Storage } from './storage/storage.js'
import { sessionDesk } from './wallet-session/session-desk.js'
import type { CompleteOptions, World } from './world.js'

/** The state of a new sandbox, or of one that goes on from its storage. @param stopping aborts when it closes */
export async function createWorld(given: CheckedOptions, storage: Storage, stopping: AbortSignal): Promise<World> {
  const { books: kept, identity } = storage.state
  // What is given goes before what was kept or made up.
  const options = { ...identity, ...given, wallets: { ...identity.wallets, ...given.wallets } }
  const { clock, chainId, embeddedWallet, stake } = options
  const time = new ServiceTime(clock, options.clockOffsetMs)
  const now = () => time.now()
  const wallets = {
    attester: developmentWallet(options.wallets.attester),
    submitter: developmentWallet(options.wallets.submitter),
  }
  const account = accountOf(options, wallets)
  const touched = () => storage.touch()
  const walletKeys = new WalletKeys({ wallets, touched, kept: kept.wallets })
  const roles = rolesAtFirst(account, wallets)
  return {
    options,
    clock,
    log: options.log,
    account,
    wallets,
    walletKeys,
    time,
    assets: new AssetBook({ now, touched, kept: kept.assets, run: options.run }),
    scores: new ScoreBook({ now, touched, kept: kept.scores, policy: options.duplicateScores }),
    keys: new KeyRing({ now, touched, kept: kept.keys }),
    registry: new StakeRegistry({ chainId, now, stake, roles, changed: touched }, kept),
    embeddedWallets:
      embeddedWallet === null ? null : openEmbeddedWallets(embeddedWallet, walletKeys, { clock, signal: stopping }),
    walletSession: sessionDesk(options, now),
    media: await mediaStoreOf(options, storage),
    faults: new FaultDesk(options.faults),
    limiter: new RateLimiter(options.rateLimit, () => clock.monotonic()),
    streams: new Set(),
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

/** A wallet of the account that has no known private key has its role in addition to the one that has. */
function rolesAtFirst(account: World['account'], wallets: DevelopmentWallets): Map<Hex, Roles> {
  const submitter: Roles = { submitter: true, attester: false }
  const attester: Roles = { submitter: false, attester: true }
  return new Map([
    [wallets.submitter.address, submitter],
    [account.submitter, submitter],
    [wallets.attester.address, attester],
    [account.attester, attester],
  ])
}

function accountOf(options: CompleteOptions, wallets: DevelopmentWallets): World['account'] {
  return {
    attester: lowerCase(options.attesterKey.wallet ?? options.attesterWallet ?? wallets.attester.address),
    submitter: lowerCase(options.submitterKey.wallet ?? wallets.submitter.address),
  }
}

const lowerCase = (wallet: string): Hex => wallet.toLowerCase() as Hex

async function mediaStoreOf(options: CompleteOptions, { mediaDirectory }: Storage): Promise<MediaStore> {
  return new MediaStore({
    blocks: mediaDirectory === null ? new MemoryBlockstore() : await DirectoryBlockstore.open(mediaDirectory),
    algorithm: options.contentHash,
    chunkBytes: options.chunkBytes,
  })
}
