import {
  decodeDeployData,
  decodeFunctionData,
  deploylessCallViaBytecodeBytecode,
  encodeFunctionResult,
  type Hex,
  isHex,
  keccak256,
  multicall3Abi,
  parseAbi,
  toHex,
  zeroAddress,
  zeroHash,
} from 'viem'
import { z } from 'zod'
import { stakeRegistryAbi } from '../contracts/stake-registry-abi.js'
import type { StakeRegistry } from './stake-registry.js'

/** Where a registry in memory pretends to stand; nobody holds a key that leads here. */
export const MEMORY_CONTRACT = '0x57a4e00000000000000000000000000000000001'
/** What stands for code there: STOP. */
const CODE = '0x00'
/** Most requests in one batch. */
const BATCH_MAX = 100

const requestSchema = z.object({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.number(), z.null()]).optional(),
  method: z.string(),
  params: z.array(z.unknown()).optional(),
})
const callSchema = z.looseObject({
  to: z.string().optional(),
  data: z.string().optional(),
  input: z.string().optional(),
})

/** The constructor by which viem runs code that stands nowhere: the code, and the call that it is to answer. */
const WRAPPER = parseAbi(['constructor(bytes code, bytes data)'])

/** An error as JSON-RPC has it. */
class RpcError extends Error {
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

/**
 * Answers JSON-RPC, one request or a batch, as a chain with the stake contract would, so that what reads stake and roles
 * needs no other way where no chain is installed. Reads only; every block has the state of now.
 * @throws what the registry throws, where its chain does not answer
 */
export async function answerMemoryRpc(registry: StakeRegistry, body: unknown): Promise<unknown> {
  if (!Array.isArray(body)) return answerOne(registry, body)
  const isGood = body.length > 0 && body.length <= BATCH_MAX
  if (!isGood) return refusal(null, new RpcError(-32600, `a batch of 1 to ${BATCH_MAX} requests`))
  return Promise.all(body.map((one) => answerOne(registry, one)))
}

async function answerOne(registry: StakeRegistry, body: unknown): Promise<unknown> {
  const parsed = requestSchema.safeParse(body)
  if (!parsed.success) return refusal(null, new RpcError(-32600, 'not a JSON-RPC 2.0 request'))
  const { id = null, method, params = [] } = parsed.data
  try {
    return { jsonrpc: '2.0', id, result: await resultOf(registry, method, params) }
  } catch (error) {
    if (error instanceof RpcError) return refusal(id, error)
    throw error
  }
}

function refusal(id: string | number | null, { code, message }: RpcError) {
  return { jsonrpc: '2.0', id, error: { code, message } }
}

async function resultOf(registry: StakeRegistry, method: string, params: readonly unknown[]): Promise<unknown> {
  // Also where the method needs no block: a chain that was stopped answers nothing.
  const head = await registry.head()
  switch (method) {
    case 'eth_chainId':
      return toHex(registry.chainId)
    case 'net_version':
      return String(registry.chainId)
    case 'eth_blockNumber':
      return toHex(head.number)
    case 'eth_getBlockByNumber':
      return blockOf(head, params[0])
    case 'eth_getCode':
      return isContract(params[0]) ? CODE : '0x'
    case 'eth_call':
      return called(registry, params[0])
    default:
      throw new RpcError(-32601, `${method} is not known here: the sandbox keeps stake and roles in memory, no chain`)
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
    nonce: '0x0000000000000000',
    sha3Uncles: zeroHash,
    logsBloom: `0x${'00'.repeat(256)}`,
    transactionsRoot: zeroHash,
    stateRoot: zeroHash,
    receiptsRoot: zeroHash,
    miner: zeroAddress,
    difficulty: '0x0',
    totalDifficulty: '0x0',
    extraData: '0x',
    size: '0x0',
    gasLimit: '0x1c9c380',
    gasUsed: '0x0',
    baseFeePerGas: '0x0',
    transactions: [],
    uncles: [],
  }
}

async function called(registry: StakeRegistry, value: unknown): Promise<Hex> {
  const parsed = callSchema.safeParse(value)
  const data = parsed.data?.input ?? parsed.data?.data
  if (!parsed.success || !isHex(data)) throw new RpcError(-32602, 'eth_call takes an object with to and data')
  const { to } = parsed.data
  if (to === undefined || to === null) return calledTogether(registry, data)
  // As a chain answers a call to an account without code.
  return isContract(to) ? asked(registry, decoded(data)) : '0x'
}

/** A multicall whose code travels with the call, as viem sends it: the one code that is carried out here. */
async function calledTogether(registry: StakeRegistry, data: Hex): Promise<Hex> {
  const results = await Promise.all(
    callsIn(data).map(async ({ target, callData }) => {
      try {
        return { success: true, returnData: isContract(target) ? await asked(registry, decoded(callData)) : '0x' }
      } catch (error) {
        if (!(error instanceof RpcError)) throw error
        return { success: false, returnData: '0x' as const }
      }
    }),
  )
  return encodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', result: results })
}

function callsIn(data: Hex) {
  try {
    const bytecode = deploylessCallViaBytecodeBytecode
    const { args } = decodeDeployData({ abi: WRAPPER, bytecode, data })
    const call = decodeFunctionData({ abi: multicall3Abi, data: args[1] })
    if (call.functionName === 'aggregate3') return call.args[0]
  } catch {
    // Some other code: the same refusal.
  }
  throw new RpcError(-32000, 'no code is run here: the sandbox keeps stake and roles in memory, no chain')
}

function decoded(data: Hex) {
  try {
    return decodeFunctionData({ abi: stakeRegistryAbi, data })
  } catch {
    throw new RpcError(3, 'execution reverted: no such function')
  }
}

async function asked(registry: StakeRegistry, call: ReturnType<typeof decoded>): Promise<Hex> {
  const abi = stakeRegistryAbi
  switch (call.functionName) {
    case 'minimumStake': {
      const { minStakeWei } = await registry.stakeOf(zeroAddress)
      return encodeFunctionResult({ abi, functionName: 'minimumStake', result: minStakeWei })
    }
    case 'stakeOf': {
      const { stakedWei } = await registry.stakeOf(call.args[0])
      return encodeFunctionResult({ abi, functionName: 'stakeOf', result: stakedWei })
    }
    case 'isSubmitter': {
      const { submitter } = await registry.rolesOf(call.args[0])
      return encodeFunctionResult({ abi, functionName: 'isSubmitter', result: submitter })
    }
    case 'isAttester': {
      const { attester } = await registry.rolesOf(call.args[0])
      return encodeFunctionResult({ abi, functionName: 'isAttester', result: attester })
    }
    default:
      throw new RpcError(3, `execution reverted: ${call.functionName} is not to be called here`)
  }
}

function isContract(value: unknown): boolean {
  return typeof value === 'string' && value.toLowerCase() === MEMORY_CONTRACT
}
