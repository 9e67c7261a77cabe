import type { Hex } from 'viem'
import { AssetBook } from '../books/asset-book.js'
import { KeyRing, type RandomBytes } from '../books/key-ring.js'
import { RoleBook } from '../books/role-book.js'
import { ScoreBook } from '../books/score-book.js'
import { StakeBook } from '../books/stake-book.js'
import { WalletKeys } from '../books/wallet-keys.js'
import { DEFAULT_STAKE } from '../choices.js'
import type { Roles } from '../registry/stake-registry.js'
import type { SandboxOptions } from '../sandbox-options.js'
import type { Storage } from './storage.js'

/** `now` is service time in Unix milliseconds; `initialRoles` are those to which a reset goes back. */
export interface BookParts {
  readonly now: () => number
  readonly random: RandomBytes
  readonly initialRoles: ReadonlyMap<Hex, Roles>
}

/** The books that outlive the process where there is a storage: each goes on from what was kept and keeps its changes. */
export function openBooks(options: SandboxOptions, storage: Storage, { now, random, initialRoles }: BookParts) {
  const { kept } = storage
  const assets = new AssetBook(now, options.run ?? '', (asset) => storage.append({ type: 'asset', asset }))
  for (const { asset } of kept.of('asset')) assets.restore(asset)

  const policy = options.duplicateScores ?? 'idempotent'
  const scores = new ScoreBook({ now, policy, keep: (score) => storage.append({ type: 'score', score }) })
  for (const { score } of kept.of('score')) scores.restore(score)

  const keys = new KeyRing({ random, now, keep: (key) => storage.append({ type: 'key', key }) })
  for (const { key } of kept.of('key')) keys.restore(key)

  const roles = new RoleBook(initialRoles, (wallet, has) => storage.append({ type: 'roles', wallet, ...has }))
  for (const { wallet, submitter, attester } of kept.of('roles')) roles.restore(wallet, { submitter, attester })

  const walletKeys = new WalletKeys({
    random,
    keep: ({ address, privateKey }) => storage.append({ type: 'wallet', wallet: address, privateKey }),
  })
  for (const { wallet, privateKey } of kept.of('wallet')) walletKeys.restore({ address: wallet, privateKey })

  return { assets, scores, keys, roles, walletKeys, stakes: openStakes(options, storage) }
}

function openStakes(options: SandboxOptions, storage: Storage): StakeBook {
  const stakes = new StakeBook(options.stake ?? DEFAULT_STAKE, (entry) =>
    storage.append(
      'wallet' in entry
        ? { type: 'stake', wallet: entry.wallet, stakedWei: entry.stakedWei.toString() }
        : { type: 'minimum', minStakeWei: entry.minStakeWei.toString() },
    ),
  )
  for (const { wallet, stakedWei } of storage.kept.of('stake')) stakes.restore({ wallet, stakedWei: BigInt(stakedWei) })
  for (const { minStakeWei } of storage.kept.of('minimum')) stakes.restore({ minStakeWei: BigInt(minStakeWei) })
  return stakes
}
