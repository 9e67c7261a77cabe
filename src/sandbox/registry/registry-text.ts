import type { StakeRegistry } from './stake-registry.js'

/** Where roles and stake are kept, in words for people. */
export function registryText({ kind, chainId, contract, rpcUrl }: StakeRegistry): string {
  if (kind === 'memory') return `in memory, no chain (chain id ${chainId})`
  return `contract ${contract} on a local anvil, chain ${chainId}, ${rpcUrl}`
}
