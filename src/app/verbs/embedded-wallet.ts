import { loadSettings } from '../../config/load.js'
import { AttestdError } from '../../core/errors.js'
import type { SandboxOptions } from '../../sandbox/sandbox-options.js'
import { walletChoiceOf, walletSettingsNeeded } from '../open/open-wallet.js'

/** Where a sandbox has the wallets of v1's attesters; `none`: its scores carry no attestation. */
export type AttestationProvider = 'local' | 'privy' | 'none'

/**
 * The options of a sandbox for its provider of embedded wallets. Privy's settings are those of the daemon's own Privy
 * wallet, and that wallet becomes the one of the default attester key.
 * @throws as `loadSettings` does where they are missing
 */
export function embeddedWalletOptions(
  provider: AttestationProvider,
  env: Readonly<Record<string, string | undefined>>,
): Pick<SandboxOptions, 'embeddedWallet' | 'attesterWallet'> {
  if (provider !== 'privy') return { embeddedWallet: provider === 'local' ? { kind: 'local' } : null }
  const { settings } = loadSettings({ env: { ...env, ATTESTD_WALLET: 'privy' }, need: walletSettingsNeeded })
  const choice = walletChoiceOf(settings)
  if (choice.kind !== 'privy') throw new AttestdError('internal-error', 'A Privy wallet was requested.')
  const { address, walletId, expectedAddress: _, ...app } = choice
  return { embeddedWallet: { ...app, walletIds: { [address]: walletId } }, attesterWallet: address }
}
