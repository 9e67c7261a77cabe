import { type Address, createPublicClient, createWalletClient, defineChain, type Hex, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import artifact from '../contracts/stake-registry.json' with { type: 'json' }
import { stakeRegistryAbi } from './stake-registry-abi.js'

/** How often the receipt is looked for, ms; a local chain has it at once. */
const RECEIPT_POLL_MS = 50
/** Longest wait for the receipt, ms. */
const RECEIPT_LIMIT_MS = 30_000

/** Where the contract goes and who pays. */
export interface DeployOptions {
  readonly rpcUrl: string
  readonly chainId: number
  /** Pays for it and becomes the owner of the contract. */
  readonly privateKey: Hex
  /** Minimum stake at the start, wei. */
  readonly minimumWei: bigint
}

/** Puts a StakeRegistry on a chain. @returns its address. @throws what viem throws where the chain does not take it */
export async function deployStakeRegistry(options: DeployOptions): Promise<Address> {
  const chain = defineChain({
    id: options.chainId,
    name: `chain ${options.chainId}`,
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [options.rpcUrl] } },
  })
  const account = privateKeyToAccount(options.privateKey)
  const hash = await createWalletClient({ chain, account, transport: http() }).deployContract({
    abi: stakeRegistryAbi,
    bytecode: artifact.bytecode as Hex,
    args: [options.minimumWei],
  })
  const reader = createPublicClient({ chain, transport: http(), pollingInterval: RECEIPT_POLL_MS })
  const { contractAddress, status } = await reader.waitForTransactionReceipt({ hash, timeout: RECEIPT_LIMIT_MS })
  if (status !== 'success' || !contractAddress) throw new Error('the chain did not take the stake contract')
  return contractAddress
}
