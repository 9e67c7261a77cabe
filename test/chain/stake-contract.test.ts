import { decodeFunctionData, type Hex, numberToHex, parseAbi } from 'viem'
import { describe, expect, it, type TestContext } from 'vitest'
import { parseStakeAbi } from '../../src/chain/stake-abi.js'
import { StakeContract } from '../../src/chain/stake-contract.js'
import { chainSettings } from '../../src/config/chain-settings.js'
import { anvil } from '../support/anvil.js'
import { failure } from '../support/failure.js'
import { deadUrl } from '../support/local-server.js'
import { chainReaderFor, rpcServerFor } from '../support/rpc-server.js'
import { stakeChainFor } from '../support/stake-chain.js'

const DEFAULT_ABI = chainSettings.stakeAbi.fallback as string
const MINIMUM = 'minimumStake() view returns (uint256)'
const DEFAULT_SIGNATURES = [
  'function stakeOf(address) view returns (uint256)',
  'function minimumStake() view returns (uint256)',
  'function isAttester(address) view returns (bool)',
  'function isSubmitter(address) view returns (bool)',
] as const
const NOBODY = '0x00000000000000000000000000000000000000aa'

interface Place {
  readonly rpcUrl: string
  readonly address: `0x${string}`
}

function contractAt(context: TestContext, { rpcUrl, address }: Place, abi = DEFAULT_ABI): StakeContract {
  return new StakeContract({ reader: chainReaderFor(context, rpcUrl), address, abi: parseStakeAbi(abi) })
}

describe.skipIf(anvil === null)('on a real chain (skipped where there is no anvil)', () => {
  it('stake, minimum and roles are those of the contract', async (context) => {
    const chain = await stakeChainFor(context)
    const contract = contractAt(context, chain)
    const { address } = chain.other
    expect(await contract.read(address)).toEqual({
      stakedWei: 0n,
      minStakeWei: 1_000n,
      roles: { attester: false, submitter: false },
      blockNumber: await chain.reader.getBlockNumber({ cacheTime: 0 }),
    })
    await chain.other.register(false, true)
    await chain.other.stake(2n ** 70n)
    await chain.owner.setMinimum(0n)
    expect(await contract.read(address)).toEqual({
      stakedWei: 2n ** 70n,
      minStakeWei: 0n,
      roles: { attester: true, submitter: false },
      blockNumber: await chain.reader.getBlockNumber({ cacheTime: 0 }),
    })
  })

  it('a role may be a number, the minimum may be a setting, and an unnamed role belongs to everyone', async (context) => {
    const chain = await stakeChainFor(context)
    const abi =
      'stake=function stakeOf(address) view returns (uint256); minimum=5; attester=function stakeOf(address) view returns (uint256)'
    const contract = contractAt(context, chain, abi)
    expect(await contract.read(chain.other.address)).toMatchObject({
      minStakeWei: 5n,
      roles: { attester: false, submitter: true },
    })
    await chain.owner.setStake(chain.other.address, 3n)
    expect(await contract.read(chain.other.address)).toMatchObject({ stakedWei: 3n, roles: { attester: true } })
  })

  it('all values are of one block, whatever happens meanwhile', async (context) => {
    const chain = await stakeChainFor(context)
    const { rpcUrl, address, other } = chain
    const reader = chainReaderFor(context, rpcUrl)
    const late: typeof reader = {
      ...reader,
      read: (work, signal) =>
        reader.read(async (client, head) => {
          await chain.owner.setStake(other.address, 77n)
          return work(client, head)
        }, signal),
    }
    const contract = new StakeContract({ reader: late, address, abi: parseStakeAbi(DEFAULT_ABI) })
    const before = await chain.reader.getBlockNumber({ cacheTime: 0 })
    expect(await contract.read(other.address)).toMatchObject({ stakedWei: 0n, blockNumber: before })
    expect(await contractAt(context, chain).read(other.address)).toMatchObject({
      stakedWei: 77n,
      blockNumber: before + 1n,
    })
  })

  it.for([
    ['no contract at the address', DEFAULT_ABI, NOBODY, 'stakeOf', 'returned no data'],
    ['a function that the contract has not', replaced('isAttester', 'isVerifier'), null, 'isVerifier', 'reverted'],
    [
      'a value too large for its type',
      replaced(MINIMUM, 'owner() view returns (uint96)'),
      null,
      'owner',
      'another type',
    ],
    ['a number for a bool', replaced('isAttester(address)', 'minimumStake()'), null, 'minimumStake', 'another type'],
  ] as const)('%s is named, and is not read as a stake', async ([, abi, elsewhere, functionName, problem], context) => {
    const { rpcUrl, address } = await stakeChainFor(context)
    const error = await failure(contractAt(context, { rpcUrl, address: elsewhere ?? address }, abi).read(NOBODY))
    expect(error).toMatchObject({ reason: 'stake-contract-unreadable', facts: { function: functionName } })
    expect(error.message).toContain(problem)
  })
})

describe('at a faulty endpoint', () => {
  it('no answer is used', async (context) => {
    const contract = contractAt(context, { rpcUrl: await deadUrl(), address: NOBODY })
    expect(await failure(contract.read(NOBODY))).toMatchObject({ reason: 'rpc-unreachable' })
  })

  const fails = (code: number, message: string) => ({ text: JSON.stringify({ id: null, error: { code, message } }) })
  it.for([
    ['a rate limit', fails(-32005, 'limit exceeded'), 'rpc-unreachable'],
    ['a method that is closed', fails(-32601, 'the method eth_call does not exist'), 'rpc-unreachable'],
    ['a revert', fails(3, 'execution reverted'), 'stake-contract-unreadable'],
    ['a revert as others say it', fails(-32015, 'VM execution error.'), 'stake-contract-unreadable'],
    ['no data', { result: '0x' }, 'stake-contract-unreadable'],
    ['bytes that are no answer', { result: '0x1234' }, 'stake-contract-unreadable'],
    ['what is no bytes', { result: '0x123' }, 'rpc-reply-invalid'],
    ['an object', { result: {} }, 'rpc-reply-invalid'],
    ['fewer bytes than a value has', { result: `0x${'00'.repeat(31)}` }, 'stake-contract-unreadable'],
  ] as const)('%s', async ([, reply, reason], context) => {
    const server = await rpcServerFor(context, { now: () => Date.now() })
    server.reply = ({ method }) => (method === 'eth_call' ? reply : undefined)
    const error = await failure(contractAt(context, { rpcUrl: server.url, address: NOBODY }).read(NOBODY))
    expect(error).toMatchObject({ name: 'AttestdError', reason })
  })

  it('every value is requested from the contract separately, at one block, and checked', async (context) => {
    const server = await rpcServerFor(context, { now: () => Date.now() })
    const values = { stakeOf: 5n, minimumStake: 4n, isAttester: 1n, isSubmitter: 0n }
    const abi = parseAbi(DEFAULT_SIGNATURES)
    server.reply = ({ method, params }) => {
      if (method !== 'eth_call') return undefined
      const { to, data } = params[0] as { to?: string; data: Hex }
      // As an endpoint that runs no code that travels with a call.
      if (to?.toLowerCase() !== NOBODY) return fails(-32602, 'missing to')
      const { functionName } = decodeFunctionData({ abi, data })
      return { result: numberToHex(values[functionName], { size: 32 }) }
    }
    const contract = contractAt(context, { rpcUrl: server.url, address: NOBODY })
    const roles = { attester: true, submitter: false }
    expect(await contract.read(NOBODY)).toEqual({ stakedWei: 5n, minStakeWei: 4n, roles, blockNumber: 7n })
    values.isAttester = 2n
    const error = await failure(contract.read(NOBODY))
    expect(error).toMatchObject({ reason: 'stake-contract-unreadable', facts: { function: 'isAttester' } })
    const blocks = server.asked.filter(({ method }) => method === 'eth_call').map(({ params }) => params[1])
    expect(new Set(blocks)).toEqual(new Set(['0x7']))
  })
})

/** The default setting with a part of it replaced. */
function replaced(part: string, by: string): string {
  expect(DEFAULT_ABI).toContain(part)
  return DEFAULT_ABI.replace(part, by)
}
