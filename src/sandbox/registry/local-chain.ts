import {
  type Address,
  type ContractFunctionArgs,
  type ContractFunctionReturnType,
  createTestClient,
  defineChain,
  http,
  publicActions,
  walletActions,
} from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import type { Clock } from '../../core/clock.js'
import { AttestdError } from '../../core/errors.js'
import type { Log } from '../../core/log.js'
import { deployStakeRegistry } from '../contracts/deploy-stake-registry.js'
import { stakeRegistryAbi } from '../contracts/stake-registry-abi.js'
import { type AnvilProcess, startAnvil } from './anvil-process.js'

/** A block each second, so that the age of the latest one never is what a reader refuses, seconds. */
const BLOCK_TIME_SECONDS = 1
/** anvil answers within milliseconds, so this only ends a wait for one that hangs, milliseconds. */
const RPC_LIMIT_MS = 5_000
/** What the owner of the contract pays its transactions from, wei. */
const OWNER_FUNDS = 10_000n * 10n ** 18n

type Abi = typeof stakeRegistryAbi
type ViewName = 'isSubmitter' | 'isAttester' | 'stakeOf' | 'minimumStake'
type WriteName = 'setRoles' | 'setStake' | 'setMinimum'

/** `minimumWei` is that of each newly deployed contract. Once `signal` aborts, the end of anvil is not logged. */
export interface LocalChainOptions {
  readonly binary: string
  readonly chainId: number
  readonly minimumWei: bigint
  readonly clock: Clock
  readonly log: Log
  readonly signal: AbortSignal
}

/** anvil with one stake contract, whose owner is made up for this run. */
export class LocalChain {
  readonly chainId: number
  readonly contract: Address
  readonly rpcUrl: string
  readonly #options: LocalChainOptions
  readonly #owner: Owner
  #process: AnvilProcess
  /** Ends with the last write that was asked for: one nonce after the other. */
  #writes: Promise<unknown> = Promise.resolve()
  #runs = true
  #lastBlock = 0n

  static async start(options: LocalChainOptions): Promise<LocalChain> {
    const process = await launch(options)
    try {
      const owner = ownerOf(options.chainId, process.rpcUrl)
      return new LocalChain(options, process, owner, await deploy(options, owner))
    } catch (error) {
      await process.stop()
      throw error
    }
  }

  private constructor(options: LocalChainOptions, process: AnvilProcess, owner: Owner, contract: Address) {
    this.#options = options
    this.#process = process
    this.#owner = owner
    this.chainId = options.chainId
    this.contract = contract
    this.rpcUrl = process.rpcUrl
    void this.#watch(process)
  }

  /** Null where it does not run. */
  get pid(): number | null {
    return this.#runs ? this.#process.pid : null
  }

  async head(): Promise<{ number: bigint; timestamp: number }> {
    const { number, timestamp } = await this.#owner.client.getBlock()
    this.#lastBlock = number
    return { number, timestamp: Number(timestamp) }
  }

  read<Name extends ViewName>(
    functionName: Name,
    args: ContractFunctionArgs<Abi, 'view', Name>,
  ): Promise<ContractFunctionReturnType<Abi, 'view', Name>> {
    const call = { address: this.contract, abi: stakeRegistryAbi, functionName, args }
    return this.#owner.client.readContract(call as never) as Promise<ContractFunctionReturnType<Abi, 'view', Name>>
  }

  /** Resolves when the change is in a block. */
  write<Name extends WriteName>(
    functionName: Name,
    args: ContractFunctionArgs<Abi, 'nonpayable', Name>,
  ): Promise<void> {
    const call = { address: this.contract, abi: stakeRegistryAbi, functionName, args }
    const written = this.#afterWrites(async () => {
      const { status } = await this.#owner.client.writeContractSync(call as never)
      if (status !== 'success') throw new AttestdError('rpc-reply-invalid', `${functionName} was not taken.`)
    })
    this.#writes = written.catch(() => {})
    return written
  }

  async #afterWrites(work: () => Promise<void>): Promise<void> {
    await this.#writes
    await work()
  }

  /** Ends anvil for `restart` to go on with its block numbers; what the chain held is gone. */
  async stop(): Promise<void> {
    await this.head().catch(() => {})
    await this.close()
  }

  /** Ends anvil. */
  close(): Promise<void> {
    return this.#process.stop()
  }

  /** A new chain at the same URL that goes on with the block numbers, and the contract at the same address. */
  async restart(): Promise<void> {
    await this.#process.stop()
    const port = Number(new URL(this.rpcUrl).port)
    const args = ['--number', String(this.#lastBlock + 1n)]
    this.#process = await launch({ ...this.#options, port, args })
    this.#runs = true
    void this.#watch(this.#process)
    const contract = await deploy(this.#options, this.#owner)
    if (contract !== this.contract) throw new AttestdError('local-chain-failed', 'The contract got another address.')
  }

  async #watch(process: AnvilProcess): Promise<void> {
    await process.ended
    if (process === this.#process) this.#runs = false
    if (this.#options.signal.aborted) return
    this.#options.log.warn({ rpcUrl: this.rpcUrl }, 'the local chain of the sandbox ended')
  }
}

type Owner = ReturnType<typeof ownerOf>

/** The first transaction of an account decides the address of its contract: one owner a chain, made up. */
function ownerOf(chainId: number, rpcUrl: string) {
  const privateKey = generatePrivateKey()
  const chain = defineChain({
    id: chainId,
    name: `chain ${chainId}`,
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [rpcUrl] } },
  })
  const client = createTestClient({
    mode: 'anvil',
    chain,
    account: privateKeyToAccount(privateKey),
    transport: http(rpcUrl, { retryCount: 0, timeout: RPC_LIMIT_MS }),
    cacheTime: 0,
  })
    .extend(publicActions)
    .extend(walletActions)
  return { privateKey, client, rpcUrl }
}

function launch({ binary, chainId, clock, signal, ...more }: LocalChainOptions & { port?: number; args?: string[] }) {
  const { port, args } = more
  return startAnvil({
    binary,
    chainId,
    clock,
    signal,
    keys: 0,
    blockTimeSeconds: BLOCK_TIME_SECONDS,
    mixedMining: true,
    port,
    args,
  })
}

async function deploy({ chainId, minimumWei }: LocalChainOptions, owner: Owner): Promise<Address> {
  await owner.client.setBalance({ address: owner.client.account.address, value: OWNER_FUNDS })
  return deployStakeRegistry({ rpcUrl: owner.rpcUrl, chainId, privateKey: owner.privateKey, minimumWei })
}
