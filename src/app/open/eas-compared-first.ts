import type { ChainReader } from '../../chain/chain-reader.js'
import type { StakeContract } from '../../chain/stake-contract.js'
import type { Settings } from '../../config/settings.js'
import { toAttestdError } from '../../core/errors.js'
import { compareEasVersion } from './eas-version.js'

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
