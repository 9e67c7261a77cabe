import { base, baseSepolia } from 'viem/chains'
import { expect, it } from 'vitest'
import { networkOf } from '../../src/chain/networks.js'

it.each([
  [baseSepolia, '1.2.0'],
  [base, '1.0.1'],
])('$name as in viem', (chain, easDomainVersion) => {
  const publicRpcUrl = chain.rpcUrls.default.http[0]
  expect(networkOf(chain.id)).toEqual({ chainId: chain.id, publicRpcUrl, easDomainVersion })
})

it('a chain that is not known has no endpoint', () => {
  expect(networkOf(31337)).toEqual({ chainId: 31337, publicRpcUrl: null, easDomainVersion: '1.2.0' })
})
