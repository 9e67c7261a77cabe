import type { Clock } from '../../core/clock.js'
import { AttestdError } from '../../core/errors.js'
import type { Log } from '../../core/log.js'
import type { RoleBook } from '../books/role-book.js'
import type { StakeBook } from '../books/stake-book.js'
import type { ServiceTime } from '../service-time.js'
import { findAnvil } from './anvil-process.js'
import { AnvilRegistry } from './anvil-registry.js'
import { MemoryRegistry } from './memory-registry.js'
import type { StakeRegistry } from './stake-registry.js'

/** `auto`: anvil where it is installed, else memory. */
export const CHAIN_CHOICES = ['auto', 'anvil', 'memory'] as const
/** What `--chain` of sandbox and demo takes. `anvil` fails where it is missing, `auto` goes on in memory. */
export type ChainChoice = (typeof CHAIN_CHOICES)[number]

/** `stakes` and `roles` are what the registry is to hold; `time` gives one in memory its blocks. */
export interface RegistryOptions {
  readonly chain: ChainChoice
  readonly chainId: number
  /** Where anvil is looked for besides the npm package: what PATH holds. */
  readonly searchPath: string
  readonly stakes: StakeBook
  readonly roles: RoleBook
  readonly time: ServiceTime
  readonly clock: Clock
  readonly log: Log
  readonly signal: AbortSignal
}

/** Opens the registry that was asked for. @throws AttestdError local-chain-failed where that is anvil and it does not start */
export async function openRegistry(options: RegistryOptions): Promise<StakeRegistry> {
  const binary = options.chain === 'memory' ? null : findAnvil(options.searchPath)
  if (binary !== null) return AnvilRegistry.open({ ...options, binary })
  if (options.chain === 'anvil') {
    throw new AttestdError('local-chain-failed', 'anvil is not installed: neither its npm package nor one on the path.')
  }
  const why = options.chain === 'auto' ? 'anvil is not installed' : 'asked for'
  options.log.info({ chainId: options.chainId, why }, 'roles and stake were put in memory, without a chain')
  return new MemoryRegistry(options)
}
