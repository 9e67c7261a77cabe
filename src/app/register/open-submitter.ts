import type { Settings } from '../../config/settings.js'
import { openWalletOf, type WalletOfOptions, walletSettingsNeeded } from '../open/open-wallet.js'
import { contributorAttestations } from './contributor-attestation.js'
import { openSignedKeySubmitter } from './signed-key-submitter.js'
import type { SubmitterSide } from './submitter-side.js'
import { openWalletSubmitter } from './wallet-submitter.js'

/** The submitter's side of the service of the settings. @throws AttestdError wallet-unusable, setting-* */
export async function openSubmitter(settings: Settings, options: WalletOfOptions = {}): Promise<SubmitterSide> {
  if (settings.serviceApi === 'wallet-session') {
    return openWalletSubmitter(settings, await openWalletOf(settings, options))
  }
  const hasWallet = walletSettingsNeeded(settings).every((key) => settings[key] !== undefined)
  const attest = hasWallet ? contributorAttestations(settings, await openWalletOf(settings, options)) : null
  return openSignedKeySubmitter(settings, attest)
}
