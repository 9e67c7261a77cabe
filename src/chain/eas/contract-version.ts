import {
  AbiDecodingDataSizeTooSmallError,
  AbiDecodingZeroDataError,
  type Address,
  BaseError,
  ContractFunctionRevertedError,
  ContractFunctionZeroDataError,
  type PublicClient,
  parseAbi,
} from 'viem'
import { AttestdError } from '../../core/errors.js'
import type { ChainReader } from '../chain-reader.js'

const ABI = parseAbi(['function version() view returns (string)'])
const VERSION = /^\d{1,9}\.\d{1,9}\.\d{1,9}$/

/**
 * What the EAS contract says its version is, for instance `1.2.0`: it must be the domain version of attestations.
 * Throws `rpc-*`; `rpc-reply-invalid` where no contract with a version stands at this address.
 */
export function readEasVersion(reader: ChainReader, contract: Address, signal?: AbortSignal): Promise<string> {
  return reader.read(async (client, head) => {
    const version = await readVersion(client, contract, head.number)
    if (!VERSION.test(version)) throw noVersion(contract, 'says a version that is none')
    return version
  }, signal)
}

async function readVersion(client: PublicClient, address: Address, blockNumber: bigint): Promise<string> {
  try {
    return await client.readContract({ address, abi: ABI, functionName: 'version', blockNumber })
  } catch (error) {
    throw isContractAnswer(error) ? noVersion(address, 'has no version()', error) : error
  }
}

/** Whether the endpoint answered and the contract is what does not fit, so that asking another endpoint cannot help. */
function isContractAnswer(error: unknown): boolean {
  return (
    error instanceof BaseError &&
    error.walk(
      (cause) =>
        cause instanceof ContractFunctionZeroDataError ||
        cause instanceof ContractFunctionRevertedError ||
        cause instanceof AbiDecodingZeroDataError ||
        cause instanceof AbiDecodingDataSizeTooSmallError,
    ) !== null
  )
}

function noVersion(contract: Address, what: string, cause?: unknown): AttestdError {
  return new AttestdError('rpc-reply-invalid', `The contract ${contract} ${what}; check ATTESTD_EAS_CONTRACT.`, {
    cause,
  })
}
