import { readFileSync } from 'node:fs'
import { type Abi, type Address, createPublicClient, type Hex, http } from 'viem'
import type { OffchainAttestation } from '../../src/chain/eas/wire.js'
import { packagePath } from '../../src/core/files.js'

const ARTIFACT = packagePath('test', 'contracts', 'attestation-verifier.json')

/** What the EVM makes of an attestation. */
export interface OnChainResult {
  readonly signer: Address
  readonly uid: Hex
}

/**
 * Lets the EVM of a chain compute who signed an attestation of version 2 and what its uid is, by a Solidity contract of its
 * own (test/contracts/AttestationVerifier.sol). Its code stands at an address within each call: no account and no block needed.
 * Throws where the contract refuses.
 */
export async function recoverOnChain(rpcUrl: string, attestation: OffchainAttestation): Promise<OnChainResult> {
  const { domain, message, signature } = attestation
  const signer = await askVerifier(rpcUrl, 'recover', [domain, message, signature.v, signature.r, signature.s])
  const uid = await askVerifier(rpcUrl, 'uidOf', [message])
  return { signer: signer as Address, uid: uid as Hex }
}

/** Where the contract stands within a call. */
const ADDRESS: Address = '0x000000000000000000000000000000000000a77e'

/**
 * Calls a function of the verifying contract. A call that creates it instead would return its answer as the code of a contract,
 * which the EVM refuses where it begins with 0xEF, as one uid of 256 does (EIP-3541).
 */
export function askVerifier(rpcUrl: string, functionName: string, args: readonly unknown[]): Promise<unknown> {
  const { abi, bytecode } = JSON.parse(readFileSync(ARTIFACT, 'utf8')) as { abi: Abi; bytecode: Hex }
  // The constructor, which does nothing, ends with RETURN and INVALID.
  const code: Hex = `0x${bytecode.slice(bytecode.indexOf('f3fe') + 4)}`
  const stateOverride = [{ address: ADDRESS, code }]
  const client = createPublicClient({ transport: http(rpcUrl) })
  return client.readContract({ abi, address: ADDRESS, functionName, args, stateOverride })
}
