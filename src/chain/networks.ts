/** What attestd knows of a chain without asking it. */
export interface Network {
  readonly chainId: number
  /** An endpoint for everyone, rate-limited; null where none is known. */
  readonly publicRpcUrl: string | null
  /** Version in the EIP-712 domain of the chain's EAS contract. */
  readonly easDomainVersion: string
}

/** Version of the EAS contracts that were deployed since 2023, as EAS's README lists them. */
const RECENT_EAS = '1.2.0'

/**
 * The endpoints are those of viem's chain definitions, repeated because importing these two loads all of them
 * (0.2 s, 30 MB); a test compares. Base has an older EAS than its test net, by EAS's README.
 */
const KNOWN: readonly Network[] = [
  { chainId: 8453, publicRpcUrl: 'https://mainnet.base.org', easDomainVersion: '1.0.1' },
  { chainId: 84532, publicRpcUrl: 'https://sepolia.base.org', easDomainVersion: RECENT_EAS },
]

/** The endpoints of a chain, the preferred first; without any named its public one, where that is known. */
export function rpcUrlsOf({ chainId, rpcUrls }: { readonly chainId: number; readonly rpcUrls: readonly string[] }) {
  const { publicRpcUrl } = networkOf(chainId)
  return rpcUrls.length === 0 && publicRpcUrl !== null ? [publicRpcUrl] : rpcUrls
}

/** The chain's facts; of a chain that is not known, no endpoint. */
export function networkOf(chainId: number): Network {
  const unknown = { chainId, publicRpcUrl: null, easDomainVersion: RECENT_EAS }
  return KNOWN.find((network) => network.chainId === chainId) ?? unknown
}
