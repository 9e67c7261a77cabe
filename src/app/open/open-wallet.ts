import type { LoadedSettings } from '../../config/load.js'
import type { SettingKey, Settings } from '../../config/settings.js'
import { systemClock } from '../../core/clock.js'
import type { WalletChoice } from '../../wallet/open-signer.js'
import type { Signer } from '../../wallet/signer.js'

/** What the settings do not state: whom to ask for a password, and when to give up. */
export interface WalletOfOptions {
  /** Asks a person for the password of a keystore where the settings hold none. @default it must be set */
  readonly askPassword?: (file: string) => Promise<string>
  /** Ends requests to a wallet provider that are under way, with its own reason. */
  readonly signal?: AbortSignal | undefined
}

/** A text that can be mistaken for nothing else. */
const CHECK_TEXT = 'attestd signs this text to check its wallet. It gives no access to anything.'

/** A keystore's password may be asked for. */
const NEEDS: Readonly<Record<Settings['wallet'], readonly SettingKey[]>> = {
  local: ['walletKey'],
  keystore: ['walletKeystore'],
  privy: ['walletAddress', 'privyAppId', 'privyAppSecret', 'privyWalletId'],
}

/** What the chosen kind of wallet cannot be opened without, for the `need` of a verb. */
export const walletSettingsNeeded = ({ wallet }: Partial<Settings>): SettingKey[] => (wallet ? [...NEEDS[wallet]] : [])

/** The wallet of the settings, which hold what `walletSettingsNeeded` names. */
export function walletChoiceOf(settings: Settings): WalletChoice {
  const { walletAddress: expectedAddress } = settings
  switch (settings.wallet) {
    case 'local':
      return { kind: 'local', key: settings.walletKey!, expectedAddress }
    case 'keystore':
      return { kind: 'keystore', file: settings.walletKeystore!, password: settings.walletPassword!, expectedAddress }
    case 'privy':
      return {
        kind: 'privy',
        appId: settings.privyAppId!,
        appSecret: settings.privyAppSecret!,
        walletId: settings.privyWalletId!,
        authorizationKey: settings.privyAuthorizationKey,
        apiUrl: settings.privyUrl,
        timeoutMs: settings.walletTimeoutMs,
        address: expectedAddress!,
      }
  }
}

export const signsWithWallet = ({ roles, serviceApi }: Pick<Settings, 'roles' | 'serviceApi'>): boolean =>
  serviceApi === 'wallet-session' && roles.some((role) => role !== 'analyze')

/**
 * The settings with the password of the keystore, for a process that is going to open it: asked for at once, so that
 * nobody waits for the question, and never shown.
 */
export async function withPassword<Loaded extends Pick<LoadedSettings, 'settings' | 'origins' | 'secrets'>>(
  loaded: Loaded,
  askPassword: (file: string) => Promise<string>,
): Promise<Loaded> {
  const { origins, secrets, settings } = loaded
  const file = keystoreWithoutPassword(settings)
  if (!signsWithWallet(settings) || file === null) return loaded
  const walletPassword = await askPassword(file)
  return {
    ...loaded,
    settings: { ...settings, walletPassword },
    origins: { ...origins, walletPassword: 'asked for' },
    secrets: [...secrets, walletPassword],
  }
}

/** The keystore whose password a person must be asked for; null where there is none to ask for. */
const keystoreWithoutPassword = ({ wallet, walletKeystore, walletPassword }: Settings): string | null =>
  wallet === 'keystore' && walletPassword === undefined ? (walletKeystore ?? null) : null

/** Opens the wallet of the settings, which hold what `walletSettingsNeeded` names. @throws AttestdError wallet-unusable */
export async function openWalletOf(settings: Settings, options: WalletOfOptions = {}): Promise<Signer> {
  const { askPassword, signal } = options
  const file = keystoreWithoutPassword(settings)
  const asked = file !== null && askPassword ? { walletPassword: await askPassword(file) } : {}
  const choice = walletChoiceOf({ ...settings, ...asked })
  // Loaded here, because most verbs get by without the libraries of wallets.
  const { openSigner } = await import('../../wallet/open-signer.js')
  return openSigner(choice, { clock: systemClock, signal })
}

/** Proves that the wallet can sign, by a fixed text that is shown to nobody. @throws AttestdError wallet-*, signature-wrong */
export async function checkWallet(signer: Signer): Promise<void> {
  await signer.signMessage({ message: CHECK_TEXT })
}
