import Fastify from 'fastify'
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod'
import { createPublicClient, http } from 'viem'
import { expect, it } from 'vitest'
import { stakeRegistryAbi } from '../../../src/sandbox/contracts/stake-registry-abi.js'
import { MEMORY_CONTRACT } from '../../../src/sandbox/registry/memory-rpc.js'
import { RPC_PATH, rpcRoute } from '../../../src/sandbox/registry/rpc-route.js'
import type { StakeRegistry } from '../../../src/sandbox/registry/stake-registry.js'

const attester = '0x00000000000000000000000000000000000000aa'
const nobody = '0x00000000000000000000000000000000000000bb'

async function bench(onTestFinished: (close: () => Promise<void>) => void, own: Partial<StakeRegistry> = {}) {
  const registry: StakeRegistry = {
    kind: 'memory',
    chainId: 84532,
    contract: null,
    rpcUrl: null,
    head: async () => ({ number: 1_000n, timestamp: 1_700_000_000 }),
    rolesOf: async (wallet) => ({ submitter: false, attester: wallet.toLowerCase() === attester }),
    stakeOf: async (wallet) => ({ stakedWei: wallet.toLowerCase() === attester ? 2n ** 70n : 0n, minStakeWei: 5n }),
    setRoles: async () => {},
    setStake: async () => {},
    setMinimum: async () => {},
    close: async () => {},
    ...own,
  }
  const app = Fastify()
  app.setValidatorCompiler(validatorCompiler)
  app.setSerializerCompiler(serializerCompiler)
  await app.register(rpcRoute({ registry }))
  const url = `${await app.listen({ port: 0, host: '127.0.0.1' })}${RPC_PATH}`
  onTestFinished(async () => app.close())
  return { url, client: createPublicClient({ transport: http(url, { retryCount: 0 }) }) }
}

const contract = { address: MEMORY_CONTRACT, abi: stakeRegistryAbi } as const

it('stake, minimum and roles are read as from a contract', async ({ onTestFinished }) => {
  const { client } = await bench(onTestFinished)
  expect(await client.getChainId()).toBe(84532)
  expect(await client.getBlockNumber()).toBe(1_000n)
  expect(await client.getBlock()).toMatchObject({ number: 1_000n, timestamp: 1_700_000_000n })
  expect(await client.getBlock({ blockNumber: 998n })).toMatchObject({ number: 998n, timestamp: 1_699_999_998n })
  await expect(client.getBlock({ blockNumber: 1_001n })).rejects.toThrow(/could not be found/)
  const read = (functionName: 'stakeOf' | 'isAttester' | 'isSubmitter', account: `0x${string}`) =>
    client.readContract({ ...contract, functionName, args: [account], blockNumber: 1_000n })
  expect(await read('stakeOf', attester)).toBe(2n ** 70n)
  expect(await read('stakeOf', nobody)).toBe(0n)
  expect(await read('isAttester', attester)).toBe(true)
  expect(await read('isAttester', nobody)).toBe(false)
  expect(await read('isSubmitter', attester)).toBe(false)
  expect(await client.readContract({ ...contract, functionName: 'minimumStake' })).toBe(5n)
})

it('several reads in one call, as the daemon makes them', async ({ onTestFinished }) => {
  const { client } = await bench(onTestFinished)
  const contracts = [
    { ...contract, functionName: 'stakeOf', args: [attester] },
    { ...contract, functionName: 'minimumStake' },
    { ...contract, functionName: 'isAttester', args: [attester] },
    { ...contract, functionName: 'owner' },
    { ...contract, address: nobody, functionName: 'minimumStake' },
  ] as const
  const outcomes = await client.multicall({ contracts, deployless: true, blockNumber: 1_000n })
  const result = outcomes.map((outcome) => outcome.result)
  expect(result).toEqual([2n ** 70n, 5n, true, undefined, undefined])
  await expect(client.call({ code: '0x00', data: '0x12' })).rejects.toThrow(/no code is run here/)
})

it('elsewhere there is no code, and what is unknown is an error of JSON-RPC', async ({ onTestFinished }) => {
  const { client, url } = await bench(onTestFinished)
  expect(await client.getCode({ address: nobody })).toBeUndefined()
  expect(await client.getCode({ address: MEMORY_CONTRACT })).toBeDefined()
  const elsewhere = client.readContract({ ...contract, address: nobody, functionName: 'minimumStake' })
  await expect(elsewhere).rejects.toThrow(/returned no data/)
  await expect(client.readContract({ ...contract, functionName: 'owner' })).rejects.toThrow(/reverted/)
  await expect(client.getGasPrice()).rejects.toThrow(/no chain/)
  const post = async (body: string) => {
    const answer = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    return answer.json()
  }
  expect(await post('{"id":1}')).toMatchObject({ error: { code: -32600 } })
  expect(await post('[]')).toMatchObject({ error: { code: -32600 } })
  const call = (params: unknown) => JSON.stringify({ jsonrpc: '2.0', id: 'a', method: 'eth_call', params: [params] })
  expect(await post(call({ to: MEMORY_CONTRACT, data: '0x12' }))).toMatchObject({ id: 'a', error: { code: 3 } })
  expect(await post(call('x'))).toMatchObject({ error: { code: -32602 } })
  const block = { jsonrpc: '2.0', id: 1, method: 'eth_getBlockByNumber', params: ['0x', false] }
  expect(await post(JSON.stringify(block))).toMatchObject({ error: { code: -32602 } })
  const batch = ['eth_chainId', 'eth_sendRawTransaction'].map((method, id) => ({ jsonrpc: '2.0', id, method }))
  expect(await post(JSON.stringify(batch))).toMatchObject([{ id: 0, result: '0x14a34' }, { error: { code: -32601 } }])
})

it('a registry that was stopped is an endpoint that does not answer', async ({ onTestFinished }) => {
  const { client } = await bench(onTestFinished, { head: async () => Promise.reject(new Error('stopped')) })
  await expect(client.getChainId()).rejects.toThrow(/503/)
})

it('beside a real chain there is no such route', async ({ onTestFinished }) => {
  const { client } = await bench(onTestFinished, { kind: 'anvil' })
  await expect(client.getChainId()).rejects.toThrow(/404/)
})
