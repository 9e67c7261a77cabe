import { z } from 'zod'
import { address, bytes32, DAY, define, httpUrl, integer, list, MINUTE, milliseconds, oneOf, text } from './setting.js'

/** The chain: where stake is read and what attestations are made for. */
export const chainSettings = {
  chainId: define({
    path: 'chain.id',
    parse: integer(1, Number.MAX_SAFE_INTEGER),
    fallback: '84532',
    expects: 'a chain id; 84532 for Base Sepolia, 8453 for Base',
    summary: 'Chain of the stake contract and the attestations.',
  }),
  rpcUrls: define({
    path: 'chain.rpcUrls',
    parse: list(httpUrl),
    fallback: '',
    expects: "comma-separated http(s) URLs, the preferred first; empty for the chain's public endpoint",
    summary: 'RPC endpoints. One that fails, serves another chain or an old block is skipped.',
    secret: 'url',
  }),
  rpcTimeoutMs: define({
    path: 'chain.rpcTimeoutMs',
    ...milliseconds(100, 5 * MINUTE),
    fallback: '10000',
    summary: 'Longest wait for an answer of an RPC endpoint.',
  }),
  blockMaxAgeMs: define({
    path: 'chain.blockMaxAgeMs',
    ...milliseconds(1000, DAY),
    fallback: String(2 * MINUTE),
    summary: 'An RPC endpoint whose latest block is older is not used.',
  }),
  stakeContract: define({
    path: 'chain.stakeContract',
    parse: address,
    expects: 'an address, 0x and 40 hex characters',
    summary:
      'Contract of stake and roles. Required with wallet-session; with signed-key, compared with what the service states.',
  }),
  stakeAbi: define({
    path: 'chain.stakeAbi',
    parse: z.string().min(1, 'a text that is not empty'),
    fallback:
      'stake=function stakeOf(address) view returns (uint256); minimum=function minimumStake() view returns (uint256); attester=function isAttester(address) view returns (bool); submitter=function isSubmitter(address) view returns (bool)',
    expects: 'purpose=signature, separated by ;',
    summary:
      'Functions of the stake contract, by purpose: stake, minimum (or a number of wei), attester, submitter. A role that is left out is not checked. purpose.name or purpose.index selects one of several return values.',
  }),
  stakeEveryMs: define({
    path: 'chain.stakeEveryMs',
    ...milliseconds(200, 60 * MINUTE),
    fallback: '15000',
    summary: 'How often stake and roles are read.',
  }),
  easContract: define({
    path: 'chain.easContract',
    parse: address,
    fallback: '0x4200000000000000000000000000000000000021',
    expects: 'an address, 0x and 40 hex characters',
    summary: 'EAS contract of the attestations; the default is that of Base.',
  }),
  easDomainVersion: define({
    path: 'chain.easDomainVersion',
    parse: text(/^(\d+\.\d+\.\d+)?$/, 'a version such as 1.2.0'),
    fallback: '',
    expects: 'what version() of the EAS contract returns; empty for the known version on this chain',
    summary: 'Version in the EIP-712 domain of attestations.',
  }),
  easAttestationVersion: define({
    path: 'chain.easAttestationVersion',
    ...oneOf(['2', '1']),
    fallback: '2',
    summary: 'Version of the off-chain attestations.',
  }),
  easSchema: define({
    path: 'chain.easSchema',
    parse: z.string().min(1, 'a text that is not empty'),
    fallback: 'string assetId,bytes32 contentHash,uint16 deepfakeRiskBps,string algorithm',
    expects:
      'Solidity fields by these names: assetId, contentHash, deepfakeRiskBps, deepfakeRiskScore, authenticityScore, algorithm, notes',
    summary: 'Fields of an attestation, in this order; also the text of the schema.',
  }),
  easSchemaUid: define({
    path: 'chain.easSchemaUid',
    parse: z.union([z.literal('').transform(() => null), bytes32]),
    fallback: '',
    expects: '0x and 64 hex characters; empty to compute it (no resolver, revocable)',
    summary: 'Uid of the schema in the schema registry.',
  }),
} as const
