import { encodeAbiParameters, parseAbiParameters } from 'viem'
import { describe, expect, it, type TestContext } from 'vitest'
import { easComparedFirst } from '../../../src/app/open/eas-version.js'
import { openChain } from '../../../src/app/open/open-chain.js'
import type { StakeReading } from '../../../src/chain/stake-contract.js'
import { loadSettings } from '../../../src/config/load.js'
import { type RpcReply, rpcServerFor } from '../../support/rpc-server.js'

const ACCOUNT = `0x${'ab'.repeat(20)}` as const
const READING: StakeReading = {
  stakedWei: 1n,
  minStakeWei: 1n,
  roles: { attester: true, submitter: false },
  blockNumber: 7n,
}

/** A stake contract behind the comparison, on a chain whose EAS contract answers as the test says. @param before endpoints before it */
async function bench(context: TestContext, version: string | null, before: readonly string[] = []) {
  const server = await rpcServerFor(context, { now: () => Date.now() })
  const chain = { version, isAway: false }
  const answer = (text: string) => encodeAbiParameters(parseAbiParameters('string'), [text])
  server.reply = ({ method }): RpcReply | undefined => {
    if (chain.isAway) return 'cut'
    if (method === 'eth_getCode') return { result: chain.version === null ? '0x' : '0x6001' }
    if (method === 'eth_call') return { result: answer(chain.version ?? '') }
    return undefined
  }
  const rpcUrls = [...before, server.url].join(',')
  const { settings } = loadSettings({ env: { ATTESTD_RPC_URLS: rpcUrls, ATTESTD_EAS_DOMAIN_VERSION: '1.2.0' } })
  const reader = openChain(settings)
  context.onTestFinished(() => reader.close())
  const differs: string[] = []
  let readings = 0
  const contract = easComparedFirst(
    {
      read: async () => {
        readings++
        return READING
      },
    },
    settings,
    reader,
    ({ message }) => void differs.push(message),
  )
  const compared = () => server.asked.filter(({ method }) => method === 'eth_getCode').length
  return { chain, compared, contract, differs, readings: () => readings }
}

describe('the stake of an attesting wallet', () => {
  it.for(['1.2.0', null])(
    'is read once the EAS contract was found to be %j, which is checked once',
    async (version, context) => {
      const { compared, contract, differs, readings } = await bench(context, version)
      expect(await contract.read(ACCOUNT)).toBe(READING)
      await contract.read(ACCOUNT)
      expect([compared(), readings(), differs]).toEqual([1, 2, []])
    },
  )

  it('is not read where attestations would be signed for another version; the second reading reports it', async (context) => {
    const { contract, differs, readings } = await bench(context, '1.0.1')
    const refused = { reason: 'setting-invalid' }
    await expect(contract.read(ACCOUNT)).rejects.toMatchObject(refused)
    expect(differs).toEqual([])
    await expect(contract.read(ACCOUNT)).rejects.toMatchObject(refused)
    expect(differs).toEqual([expect.stringContaining('set ATTESTD_EAS_DOMAIN_VERSION=1.0.1')])
    expect(readings()).toBe(0)
  })

  it('is read from the endpoint that serves the right EAS contract, where another does not', async (context) => {
    const other = await rpcServerFor(context, { now: () => Date.now() })
    other.reply = ({ method }) => (method === 'eth_getCode' ? { result: '0x6001' } : undefined)
    const { compared, contract, differs } = await bench(context, '1.2.0', [other.url])
    expect(await contract.read(ACCOUNT)).toBe(READING)
    expect([compared(), differs]).toEqual([0, []])
  })

  it('is not read for the wrong version, even if the first endpoint has no EAS contract', async (context) => {
    const other = await rpcServerFor(context, { now: () => Date.now() })
    other.reply = ({ method }) => (method === 'eth_getCode' ? { result: '0x' } : undefined)
    const { contract } = await bench(context, '1.0.1', [other.url])
    await expect(contract.read(ACCOUNT)).rejects.toMatchObject({ reason: 'setting-invalid' })
  })

  it('is not read while the chain is unreachable, without ending the process, and is compared after it returns', async (context) => {
    const { chain, contract, differs, readings } = await bench(context, '1.2.0')
    chain.isAway = true
    await expect(contract.read(ACCOUNT)).rejects.toMatchObject({ reason: 'rpc-unreachable' })
    expect([readings(), differs]).toEqual([0, []])
    chain.isAway = false
    chain.version = '1.0.1'
    await expect(contract.read(ACCOUNT)).rejects.toMatchObject({ reason: 'setting-invalid' })
    chain.version = '1.2.0'
    expect(await contract.read(ACCOUNT)).toBe(READING)
  })
})
