import {
  type Abi,
  type Address,
  BaseError,
  ContractFunctionRevertedError,
  ContractFunctionZeroDataError,
  type PublicClient,
  RawContractError,
} from 'viem'
import { z } from 'zod'
import { AttestdError, attestdErrorIn } from '../core/errors.js'
import { cleanLine } from '../core/text.js'
import type { ChainHead, ChainReader } from './chain-reader.js'
import type { StakeAbi, StakeCall } from './stake-abi.js'

/** What the stake contract holds of one account at one block. */
export interface StakeReading {
  readonly stakedWei: bigint
  readonly minStakeWei: bigint
  readonly roles: { readonly attester: boolean; readonly submitter: boolean }
  readonly blockNumber: bigint
}

export interface StakeContractOptions {
  readonly reader: ChainReader
  readonly address: Address
  readonly abi: StakeAbi
}

/** viem gives integers of up to 48 bits as numbers. */
const count = z.union([z.bigint(), z.number().transform(BigInt)])
const flag = z.union([z.boolean(), count.transform((value) => value !== 0n)])

type Outcome = PromiseSettledResult<unknown>

/** Stake and roles as a contract holds them. */
export class StakeContract {
  readonly #options: StakeContractOptions

  constructor(options: StakeContractOptions) {
    this.#options = options
  }

  /**
   * What the contract holds of the account, all of it at one block.
   * @throws AttestdError stake-contract-unreadable where the contract does not answer as the ABI states, rpc-* where no endpoint does
   */
  read(account: Address, signal?: AbortSignal): Promise<StakeReading> {
    return this.#options.reader.read((client, head) => this.#readAt(client, head, account), signal)
  }

  async #readAt(client: PublicClient, head: ChainHead, account: Address): Promise<StakeReading> {
    const { abi } = this.#options
    const calls = [abi.stake, abi.minimum, abi.attester, abi.submitter].filter(isCall)
    // One plain call each: not every endpoint runs code that travels with a call, or has a contract that bundles them.
    const questions = calls.map((call) => client.readContract(this.#question(call, account, head)))
    const outcomes = await Promise.allSettled(questions)
    const answers = new Map(calls.map((call, index) => [call, outcomes[index]]))
    const value = <T>(call: StakeCall, shape: z.ZodType<T>) => this.#value(call, answers.get(call), shape)
    const role = (call: StakeCall | null) => call === null || value(call, flag)
    return {
      stakedWei: value(abi.stake, count),
      minStakeWei: isCall(abi.minimum) ? value(abi.minimum, count) : abi.minimum,
      roles: { attester: role(abi.attester), submitter: role(abi.submitter) },
      blockNumber: head.number,
    }
  }

  #question({ abi, takesAccount }: StakeCall, account: Address, { number: blockNumber }: ChainHead) {
    const functions: Abi = [abi]
    return {
      address: this.#options.address,
      abi: functions,
      functionName: abi.name,
      args: takesAccount ? [account] : [],
      blockNumber,
    }
  }

  #value<T>(call: StakeCall, outcome: Outcome | undefined, shape: z.ZodType<T>): T {
    if (outcome?.status !== 'fulfilled') throw this.#problem(call, outcome?.reason)
    const parsed = shape.safeParse(pick(call, outcome.value))
    if (parsed.success) return parsed.data
    throw this.#unreadable(call, 'returned a value of another type')
  }

  /** An endpoint that failed states nothing about the contract. */
  #problem(call: StakeCall, error: unknown): AttestdError {
    const ours = attestdErrorIn(error)
    if (ours !== null) return ours
    const find = (kind: abstract new (...all: never[]) => Error) =>
      error instanceof BaseError ? error.walk((each) => each instanceof kind) : null
    if (find(ContractFunctionZeroDataError)) {
      return this.#unreadable(call, 'returned no data; is the contract on this chain, and does it have this function?')
    }
    if (find(ContractFunctionRevertedError) || find(RawContractError))
      return this.#unreadable(call, 'reverted; does the contract have this function?')
    const what = error instanceof BaseError ? `: ${cleanLine(error.shortMessage, 200)}` : ''
    return this.#unreadable(call, `returned a value of another type${what}`)
  }

  #unreadable({ abi }: StakeCall, what: string): AttestdError {
    const { address, reader } = this.#options
    const message = `${abi.name} of the stake contract ${address} on chain ${reader.chainId} ${what}`
    return new AttestdError('stake-contract-unreadable', message, { facts: { contract: address, function: abi.name } })
  }
}

const isCall = (each: StakeCall | bigint | null): each is StakeCall => typeof each === 'object' && each !== null

/** The value meant, or undefined. viem gives one output as is, several as a list, a tuple with names as an object. */
function pick({ abi, output }: StakeCall, result: unknown): unknown {
  let level = abi.outputs
  let value = abi.outputs.length === 1 ? [result] : result
  let type = ''
  for (const index of output) {
    const parameter = level[index]
    const key = Array.isArray(value) ? index : (parameter?.name ?? index)
    value = (value as Readonly<Record<string | number, unknown>> | null)?.[key]
    type = parameter?.type ?? ''
    level = parameter && 'components' in parameter ? parameter.components : []
  }
  return fits(value, type) ? value : undefined
}

/** viem reads an integer that is too large for its type all the same: a sign that the contract means something else. */
function fits(value: unknown, type: string): boolean {
  const bits = Number(/^uint(\d*)$/.exec(type)?.[1] || 256)
  return typeof value !== 'bigint' || value < 1n << BigInt(bits)
}
