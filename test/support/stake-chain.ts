import { type Address, createPublicClient, createWalletClient, defineChain, type Hex, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { TestContext } from 'vitest'
import artifact from '../contracts/stake-registry.json' with { type: 'json' }
import { anvilFor } from './anvil.js'
import type { AnvilOptions } from './anvil-process.js'
import { stakeRegistryAbi } from './stake-registry-abi.js'

/** A chain of the test's own with a StakeRegistry on it, whose owner and one more account can be played. */
export async function stakeChainFor(context: Pick<TestContext, 'onTestFinished'>, options: Partial<AnvilOptions> = {}) {
  const chainId = options.chainId ?? 84532
  const { rpcUrl, privateKeys, stop } = await anvilFor(context, options)
  const [ownerKey, otherKey] = privateKeys as [Hex, Hex]
  const chain = defineChain({
    id: chainId,
    name: 'the local chain',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [rpcUrl] } },
  })
  const reader = createPublicClient({ chain, transport: http() })
  const walletOf = (key: Hex) => createWalletClient({ chain, account: privateKeyToAccount(key), transport: http() })
  // Anvil answers before the block is there; what a test reads next must be of it.
  const mined = async (sent: Promise<Hex>) =>
    reader.waitForTransactionReceipt({ hash: await sent, pollingInterval: 20, timeout: 30_000 })
  const code = { abi: stakeRegistryAbi, bytecode: artifact.bytecode as Hex, args: [1_000n] as const }
  const { contractAddress: address, status } = await mined(walletOf(ownerKey).deployContract(code))
  if (status !== 'success' || !address) throw new Error('the chain did not take the stake contract')
  const as = (key: Hex) => {
    const wallet = walletOf(key)
    const contract = { abi: stakeRegistryAbi, address } as const
    return {
      register: (submitter: boolean, attester: boolean) =>
        mined(wallet.writeContract({ ...contract, functionName: 'register', args: [submitter, attester] })),
      stake: (value: bigint) => mined(wallet.writeContract({ ...contract, functionName: 'stake', value })),
      withdraw: (amount: bigint) =>
        mined(wallet.writeContract({ ...contract, functionName: 'withdraw', args: [amount] })),
      setMinimum: (minimum: bigint) =>
        mined(wallet.writeContract({ ...contract, functionName: 'setMinimum', args: [minimum] })),
      setRoles: (account: Address, submitter: boolean, attester: boolean) =>
        mined(wallet.writeContract({ ...contract, functionName: 'setRoles', args: [account, submitter, attester] })),
      setStake: (account: Address, staked: bigint) =>
        mined(wallet.writeContract({ ...contract, functionName: 'setStake', args: [account, staked] })),
    }
  }
  return {
    rpcUrl,
    stop,
    address,
    chainId,
    reader,
    owner: as(ownerKey),
    other: { ...as(otherKey), address: privateKeyToAccount(otherKey).address },
  }
}
