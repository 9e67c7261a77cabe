import { expect, test } from 'vitest'
import { networkOf } from '../../src/chain/networks.js'

test.each([
  [84532, 'Base Sepolia', 'https://sepolia.base.org', '1.2.0'],
  [8453, 'Base', 'https://mainnet.base.org', '1.0.1'],
  [31337, 'chain 31337', null, '1.2.0'],
])('chain %i', (chainId, name, publicRpcUrl, easDomainVersion) => {
  expect(networkOf(chainId)).toEqual({ chainId, name, publicRpcUrl, easDomainVersion })
})
