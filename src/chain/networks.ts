/** What is known of a chain. */
export interface Network {
  readonly name: string
  /** The chain's own public endpoint, with limits. */
  readonly publicRpcUrl: string
  /** `version()` of its EAS contract. Source: README of EAS's contracts, deployments. */
  readonly easDomainVersion: string
}

const NETWORKS: Readonly<Record<number, Network>> = {
  8453: { name: 'Base', publicRpcUrl: 'https://mainnet.base.org', easDomainVersion: '1.0.1' },
  84532: { name: 'Base Sepolia', publicRpcUrl: 'https://sepolia.base.org', easDomainVersion: '1.2.0' },
}

/** What is known of a chain, by its id; undefined for other chains. */
export const networkOf = (chainId: number): Network | undefined => NETWORKS[chainId]
