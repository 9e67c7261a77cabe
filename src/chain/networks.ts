import { base, baseSepolia } from 'viem/chains'

/** What attestd knows of a chain without asking it. */
export interface Network {
  readonly chainId: number
  readonly name: string
  /** An endpoint for everyone, rate-limited; null where none is known. */
  readonly publicRpcUrl: string | null
  /** Version in the EIP-712 domain of the chain's EAS contract. */
  readonly easDomainVersion: string
}

/** Version of the EAS contracts that were deployed since 2023, as EAS's README lists them. */
const RECENT_EAS = '1.2.0'

const KNOWN: ReadonlyMap<number, Network> = new Map(
  [
    // Base has an older EAS than its test net, by EAS's README.
    { chain: base, easDomainVersion: '1.0.1' },
    { chain: baseSepolia, easDomainVersion: RECENT_EAS },
  ].map(({ chain, easDomainVersion }) => [
    chain.id,
    { chainId: chain.id, name: chain.name, publicRpcUrl: chain.rpcUrls.default.http[0], easDomainVersion },
  ]),
)

/** The chain's facts; of a chain that is not known, its number as its name and no endpoint. */
export function networkOf(chainId: number): Network {
  const unknown = { chainId, name: `chain ${chainId}`, publicRpcUrl: null, easDomainVersion: RECENT_EAS }
  return KNOWN.get(chainId) ?? unknown
}
