import type { ChainReader } from '../../chain/chain-reader.js'
import { readEasVersion } from '../../chain/eas/contract-version.js'
import type { StakeContract } from '../../chain/stake-contract.js'
import type { Settings } from '../../config/settings.js'
import { AttestdError, toAttestdError } from '../../core/errors.js'
import { easProfileOf } from './open-chain.js'

/**
 * Compares the version of the EAS contract with the one that attestations are signed for. That the chain has none is no
 * failure: off-chain attestations need no contract, and a local chain has none.
 * @throws AttestdError rpc-*, or setting-invalid where they differ or the contract does not state its version
 */
export async function compareEasVersion(settings: Settings, reader: ChainReader, signal?: AbortSignal) {
  const { chainId, contract: address, domainVersion } = easProfileOf(settings)
  const message = `there is none at ${address} on chain ${chainId}; version ${domainVersion} is signed`
  const none = new AttestdError('setting-invalid', message)
  try {
    // Thrown, so that the next endpoint is asked, too: a single one that does not know the contract proves nothing.
    await reader.read(async (client, { number }) => {
      if (!(await client.getCode({ address, blockNumber: number }))) throw none
    }, signal)
  } catch (error) {
    if (error === none) return { state: 'none' as const, message }
    throw error
  }
  const judge = (stated: string) => {
    if (stated === domainVersion) return
    throw new AttestdError(
      'setting-invalid',
      `${address} is version ${stated}, but attestations are signed for ${domainVersion}: set ATTESTD_EAS_DOMAIN_VERSION=${stated}.`,
    )
  }
  const version = await readEasVersion(reader, address, judge, signal)
  return { state: 'same' as const, message: `${address} is version ${version}, as is signed` }
}

/**
 * A stake contract whose first reading comes after the version of the EAS contract was compared, as doctor does. Nothing
 * is submitted before the stake was read, so nothing is signed for the wrong version.
 * @param onDiffers called where attestations would be signed for another version, by two readings in a row: it ends the daemon
 *   for good, and a single wrong answer of an RPC endpoint must not
 */
export function easComparedFirst(
  contract: Pick<StakeContract, 'read'>,
  settings: Settings,
  reader: ChainReader,
  onDiffers: (error: Error) => void,
): Pick<StakeContract, 'read'> {
  let compared = false
  let differedBefore = false
  return {
    async read(account, signal) {
      if (!compared) {
        await compareEasVersion(settings, reader, signal).catch((error: unknown) => {
          const failure = toAttestdError(error)
          const differs = failure.reason === 'setting-invalid'
          if (differs && differedBefore) onDiffers(failure)
          differedBefore = differs
          throw error
        })
      }
      compared = true
      return contract.read(account, signal)
    },
  }
}
