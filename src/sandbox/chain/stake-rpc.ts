import {
  decodeFunctionData,
  encodeFunctionResult,
  type Hex,
  isHex,
  keccak256,
  parseAbi,
  toHex,
  zeroAddress,
  zeroHash,
} from 'viem'
import { z } from 'zod'
import type { StakeRegistry } from '../books/stake-registry.js'

/** Where the stake contract stands; nobody holds a key that leads here. */
export const STAKE_CONTRACT = '0x57a4e00000000000000000000000000000000001'
/** What stands for code there: STOP. */
const CODE = '0x00'

const STAKE_ABI = parseAbi([
  'function minimumStake() view returns (uint256)',
  'function stakeOf(address account) view returns (uint256)',
  'function isSubmitter(address account) view returns (bool)',
  'function isAttester(address account) view returns (bool)',
])

const RequestSchema = z.object({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.number(), z.null()]).optional(),
  method: z.string(),
  params: z.array(z.unknown()).optional(),
})
const CallSchema = z.looseObject({
  to: z.string(),
  data: z.string().optional(),
  input: z.string().optional(),
})

class RpcError extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message)
  }
}

/** Answers JSON-RPC reads as a chain with the stake contract, of the state of now; 503 while the chain is stopped. */
export function answerRpc(registry: StakeRegistry, body: unknown): unknown {
  const parsed = RequestSchema.safeParse(body)
  if (!parsed.success) return refusal(null, new RpcError(-32600, 'not a JSON-RPC 2.0 request'))
  const { id = null, method, params = [] } = parsed.data
  try {
    return { jsonrpc: '2.0', id, result: resultOf(registry, method, params) }
  } catch (error) {
    if (error instanceof RpcError) return refusal(id, error)
    throw error
  }
}

function refusal(id: string | number | null, { code, message }: RpcError) {
  return { jsonrpc: '2.0', id, error: { code, message } }
}

function resultOf(registry: StakeRegistry, method: string, params: readonly unknown[]): unknown {
  // Also where the method needs no block: a chain that was stopped answers nothing.
  const head = registry.head()
  switch (method) {
    case 'eth_chainId':
      return toHex(registry.chainId)
    case 'eth_blockNumber':
      return toHex(head.number)
    case 'eth_getBlockByNumber':
      return blockOf(head, params[0])
    case 'eth_getCode':
      return isContract(params[0]) ? CODE : '0x'
    case 'eth_call':
      return called(registry, params[0])
    default:
      throw new RpcError(-32601, `${method} is not known here: the chain of the sandbox holds stake and roles only`)
  }
}

/** @param wanted a tag or a number; null where that block is not there yet */
function blockOf(head: { number: bigint; timestamp: number }, wanted: unknown) {
  if (wanted === '0x') throw new RpcError(-32602, 'a block number has at least one digit')
  const number = isHex(wanted) ? BigInt(wanted) : wanted === 'earliest' ? 0n : head.number
  if (number > head.number) return null
  const timestamp = head.timestamp - Number(head.number - number)
  const hashOf = (at: bigint) => keccak256(toHex(at))
  return {
    number: toHex(number),
    timestamp: toHex(Math.max(0, timestamp)),
    hash: hashOf(number),
    parentHash: number === 0n ? zeroHash : hashOf(number - 1n),
    baseFeePerGas: '0x0',
    gasLimit: '0x1c9c380',
    gasUsed: '0x0',
    transactions: [],
  }
}

function called(registry: StakeRegistry, value: unknown): Hex {
  const parsed = CallSchema.safeParse(value)
  const data = parsed.data?.input ?? parsed.data?.data
  if (!parsed.success || !isHex(data)) throw new RpcError(-32602, 'eth_call takes an object with to and data')
  // As a chain answers a call to an account without code.
  return isContract(parsed.data.to) ? contractAnswer(registry, data) : '0x'
}

function contractAnswer(registry: StakeRegistry, data: Hex): Hex {
  const { functionName, args } = stakeCall(data)
  const [wallet = zeroAddress] = args ?? []
  const { stakedWei, minStakeWei } = registry.stakeOf(wallet)
  const { attester, submitter } = registry.rolesOf(wallet)
  const results = { minimumStake: minStakeWei, stakeOf: stakedWei, isSubmitter: submitter, isAttester: attester }
  return encodeFunctionResult({ abi: STAKE_ABI, functionName, result: results[functionName] as never })
}

function stakeCall(data: Hex) {
  try {
    return decodeFunctionData({ abi: STAKE_ABI, data })
  } catch {
    throw new RpcError(3, 'execution reverted: no such function')
  }
}

const isContract = (value: unknown): boolean => typeof value === 'string' && value.toLowerCase() === STAKE_CONTRACT
