import type { TypedDataDefinition } from 'viem'

/** Typed data of the kind that attestations are: big integers, bytes, addresses. */
export const TYPED_DATA = {
  domain: {
    name: 'EAS Attestation',
    version: '1.2.0',
    chainId: 84_532,
    verifyingContract: '0x4200000000000000000000000000000000000021',
  },
  primaryType: 'Attest',
  types: {
    Attest: [
      { name: 'version', type: 'uint16' },
      { name: 'schema', type: 'bytes32' },
      { name: 'recipient', type: 'address' },
      { name: 'time', type: 'uint64' },
      { name: 'expirationTime', type: 'uint64' },
      { name: 'revocable', type: 'bool' },
      { name: 'data', type: 'bytes' },
    ],
  },
  message: {
    version: 2,
    schema: `0x${'5c'.repeat(32)}`,
    recipient: '0x000000000000000000000000000000000000dEaD',
    time: 1_790_000_000n,
    expirationTime: 0n,
    revocable: true,
    data: '0x5ec2e7',
  },
} as const satisfies TypedDataDefinition
