import { type Address, createPublicClient, http } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { STAKE_CONTRACT } from '../../../src/sandbox/chain/stake-rpc.js'
import type { Sandbox } from '../../../src/sandbox/create-sandbox.js'
import { anvil } from '../../support/anvil.js'
import { ManualClock } from '../../support/manual-clock.js'
import { startSandbox } from '../../support/sandbox.js'
import { stakeChainFor } from '../../support/stake-chain.js'
import { stakeRegistryAbi } from '../../support/stake-registry-abi.js'

const NOW = Date.UTC(2026, 0, 1)
const HEAD = BigInt(NOW / 1000)
const ATTESTER: Address = '0x00000000000000000000000000000000000000aa'
const NOBODY: Address = '0x00000000000000000000000000000000000000bb'

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await startSandbox({ clock: new ManualClock(NOW), stake: { stakedWei: 0n, minStakeWei: 5n } })
  sandbox.control.setRoles({ wallet: ATTESTER, attester: true })
  sandbox.control.setStake({ wallet: ATTESTER, stakedWei: 2n ** 70n })
})
afterAll(() => sandbox.close())

const clientOf = (url: string) => createPublicClient({ transport: http(url, { retryCount: 0 }) })
const reads = (address: Address) => {
  const contract = { address, abi: stakeRegistryAbi } as const
  return [
    { ...contract, functionName: 'stakeOf', args: [ATTESTER] },
    { ...contract, functionName: 'stakeOf', args: [NOBODY] },
    { ...contract, functionName: 'minimumStake' },
    { ...contract, functionName: 'isAttester', args: [ATTESTER] },
    { ...contract, functionName: 'isAttester', args: [NOBODY] },
    { ...contract, functionName: 'isSubmitter', args: [ATTESTER] },
    { ...contract, address: NOBODY, functionName: 'minimumStake' },
  ] as const
}
const resultsOf = async (url: string, address: Address) => {
  const client = clientOf(url)
  const outcomes = await Promise.allSettled(reads(address).map((read) => client.readContract(read as never)))
  return outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : 'failure'))
}

describe('the chain of the sandbox', () => {
  it('has one block per second, and no later one', async () => {
    const client = clientOf(sandbox.chain.rpcUrl)
    expect([await client.getChainId(), await client.getBlockNumber()]).toEqual([84532, HEAD])
    expect(await client.getBlock()).toMatchObject({ number: HEAD, timestamp: HEAD })
    expect(await client.getBlock({ blockNumber: HEAD - 2n })).toMatchObject({ number: HEAD - 2n, timestamp: HEAD - 2n })
    await expect(client.getBlock({ blockNumber: HEAD + 1n })).rejects.toThrow(/could not be found/)
  })

  it('returns stake, minimum and roles', async () => {
    const expected = [2n ** 70n, 0n, 5n, true, false, false, 'failure']
    expect(await resultsOf(sandbox.chain.rpcUrl, sandbox.chain.contract)).toEqual(expected)
    const client = clientOf(sandbox.chain.rpcUrl)
    for (const [nth, read] of reads(STAKE_CONTRACT).slice(0, 6).entries()) {
      expect(await client.readContract({ ...read, blockNumber: HEAD } as never)).toBe(expected[nth])
    }
  })

  it.skipIf(anvil === null)('answers like the contract on a real chain', async (context) => {
    const chain = await stakeChainFor(context)
    await chain.owner.setMinimum(5n)
    await chain.owner.setRoles(ATTESTER, false, true)
    await chain.owner.setStake(ATTESTER, 2n ** 70n)
    const ours = await resultsOf(sandbox.chain.rpcUrl, sandbox.chain.contract)
    expect(ours).toEqual(await resultsOf(chain.rpcUrl, chain.address))
  })

  it('has code at the contract only, and runs no other', async () => {
    const client = clientOf(sandbox.chain.rpcUrl)
    expect(await client.getCode({ address: NOBODY })).toBeUndefined()
    expect(await client.getCode({ address: STAKE_CONTRACT })).toBeDefined()
    const contract = { address: STAKE_CONTRACT, abi: stakeRegistryAbi } as const
    const elsewhere = client.readContract({ ...contract, address: NOBODY, functionName: 'minimumStake' })
    await expect(elsewhere).rejects.toThrow(/returned no data/)
    await expect(client.readContract({ ...contract, functionName: 'owner' })).rejects.toThrow(/reverted/)
    await expect(client.getGasPrice()).rejects.toThrow(/stake and roles only/)
    await expect(client.call({ code: '0x00', data: '0x12' })).rejects.toThrow(/an object with to and data/)
  })

  it('reports a wrong request by an error of JSON-RPC', async () => {
    const post = async (body: unknown) => {
      const headers = { 'content-type': 'application/json' }
      const answer = await fetch(sandbox.chain.rpcUrl, { method: 'POST', headers, body: JSON.stringify(body) })
      return answer.json()
    }
    const call = (params: unknown) => ({ jsonrpc: '2.0', id: 'a', method: 'eth_call', params: [params] })
    expect(await post({ id: 1 })).toMatchObject({ error: { code: -32600 } })
    expect(await post(call({ to: STAKE_CONTRACT, data: '0x12' }))).toMatchObject({ id: 'a', error: { code: 3 } })
    expect(await post(call('x'))).toMatchObject({ error: { code: -32602 } })
    const block = { jsonrpc: '2.0', id: 1, method: 'eth_getBlockByNumber', params: ['0x', false] }
    expect(await post(block)).toMatchObject({ error: { code: -32602 } })
    const sending = { jsonrpc: '2.0', id: 2, method: 'eth_sendRawTransaction' }
    expect(await post(sending)).toMatchObject({ id: 2, error: { code: -32601 } })
  })

  it('does not answer while it is stopped', async () => {
    sandbox.registry.stop()
    await expect(clientOf(sandbox.chain.rpcUrl).getChainId()).rejects.toThrow(/503/)
    sandbox.registry.start()
    expect(await clientOf(sandbox.chain.rpcUrl).getChainId()).toBe(84532)
  })
})
