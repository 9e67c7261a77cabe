import { type Address, BaseError, type PublicClient, parseAbi } from 'viem'
import { AttestdError } from '../../core/errors.js'
import type { ChainReader } from '../chain-reader.js'

const ABI = parseAbi(['function version() view returns (string)'])
const VERSION = /^\d{1,9}\.\d{1,9}\.\d{1,9}$/

/**
 * What the EAS contract states its version is, for instance `1.2.0`: it must be the domain version of attestations.
 * @param judge throws an AttestdError for a version that is not accepted: the next endpoint is then asked, too
 * @throws AttestdError rpc-*, what `judge` throws, or setting-invalid where no contract with a version stands at this address
 */
export function readEasVersion(
  reader: ChainReader,
  contract: Address,
  judge: (version: string) => void,
  signal?: AbortSignal,
): Promise<string> {
  const unfit = (what: string, cause?: unknown) => {
    const message = `The contract ${contract} on chain ${reader.chainId} ${what}; check ATTESTD_EAS_CONTRACT.`
    return new AttestdError('setting-invalid', message, { cause })
  }
  return reader.read(async (client, head) => {
    const version = await askVersion(client, contract, head.number).catch((error: unknown) => {
      throw isContractsFault(error) ? unfit('does not state its version', error) : error
    })
    if (!VERSION.test(version)) throw unfit('states an invalid version')
    judge(version)
    return version
  }, signal)
}

const askVersion = (client: PublicClient, address: Address, blockNumber: bigint): Promise<string> =>
  client.readContract({ address, abi: ABI, functionName: 'version', blockNumber })

/** Whether the endpoint did its part; what it did not, the reader's own errors in the chain of causes show. */
const isContractsFault = (error: unknown): boolean =>
  error instanceof BaseError && error.walk((each) => each instanceof AttestdError) === null
