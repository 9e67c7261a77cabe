import type { LoadedSettings } from '../../config/load.js'
import { envName } from '../../config/setting.js'
import { SETTINGS, type SettingKey, type Settings } from '../../config/settings.js'
import { type Clock, systemClock } from '../../core/clock.js'
import { AttestdError } from '../../core/errors.js'
import type { WalletChoice } from '../../wallet/open-signer.js'
import type { Signer } from '../../wallet/signer.js'

/** What the settings do not state: whom to ask for a password, by which clock to wait, and when to give up. */
export interface WalletOfOptions {
  /** Asks a person for the password of a keystore where the settings hold none. @default it must be set */
  readonly askPassword?: (file: string) => Promise<string>
  /** @default systemClock */
  readonly clock?: Clock
  /** Ends requests to a wallet provider that are under way, with its own reason. */
  readonly signal?: AbortSignal | undefined
}

/** A text that can be mistaken for nothing else. */
const CHECK_TEXT = 'attestd signs this text to check its wallet. It gives no access to anything.'

const PRIVY_NEEDS = ['walletAddress', 'privyAppId', 'privyAppSecret', 'privyWalletId'] as const
/** A keystore's password may be asked for. */
const NEEDS: Readonly<Record<Settings['wallet'], readonly SettingKey[]>> = {
  local: ['walletKey'],
  keystore: ['walletKeystore'],
  privy: PRIVY_NEEDS,
}

/** What the chosen kind of wallet cannot be opened without, for the `need` of a verb. */
export const walletSettingsNeeded = ({ wallet }: Partial<Settings>): SettingKey[] => (wallet ? [...NEEDS[wallet]] : [])

/** The wallet of the settings. @throws AttestdError setting-missing, with every name that is missing */
export function walletChoiceOf(settings: Settings): WalletChoice {
  const { walletAddress: expectedAddress } = settings
  switch (settings.wallet) {
    case 'local': {
      const { walletKey } = demanded(settings, ['walletKey'])
      return { kind: 'local', key: walletKey, expectedAddress }
    }
    case 'keystore': {
      const { walletKeystore, walletPassword } = demanded(settings, ['walletKeystore', 'walletPassword'])
      return { kind: 'keystore', file: walletKeystore, password: walletPassword, expectedAddress }
    }
    case 'privy': {
      const { walletAddress, privyAppId, privyAppSecret, privyWalletId } = demanded(settings, PRIVY_NEEDS)
      return {
        kind: 'privy',
        appId: privyAppId,
        appSecret: privyAppSecret,
        walletId: privyWalletId,
        authorizationKey: settings.privyAuthorizationKey,
        apiUrl: settings.privyUrl,
        timeoutMs: settings.walletTimeoutMs,
        address: walletAddress,
      }
    }
  }
}

/**
 * The settings with the password of the keystore, for a process that is going to open it: asked for at once, so that
 * nobody waits for the question, and never shown.
 */
export async function withPassword<Loaded extends Pick<LoadedSettings, 'settings' | 'origins' | 'secrets'>>(
  loaded: Loaded,
  askPassword: (file: string) => Promise<string>,
): Promise<Loaded> {
  const { origins, secrets, settings } = loaded
  const isOpened = settings.serviceApi === 'wallet-session' && settings.roles.some((role) => role !== 'analyze')
  const file = keystoreWithoutPassword(settings)
  if (!isOpened || file === null) return loaded
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

/** Opens the wallet of the settings. @throws AttestdError setting-missing, wallet-unusable */
export async function openWalletOf(settings: Settings, options: WalletOfOptions = {}): Promise<Signer> {
  const { askPassword, clock = systemClock, signal } = options
  const file = keystoreWithoutPassword(settings)
  const asked = file !== null && askPassword ? { walletPassword: await askPassword(file) } : {}
  const choice = walletChoiceOf({ ...settings, ...asked })
  // Loaded here, because most verbs get by without the libraries of wallets.
  const { openSigner } = await import('../../wallet/open-signer.js')
  return openSigner(choice, { clock, signal })
}

/** Proves that the wallet can sign, by a fixed text that is shown to nobody. @throws AttestdError wallet-*, signature-wrong */
export async function checkWallet(signer: Signer): Promise<void> {
  await signer.signMessage({ message: CHECK_TEXT })
}

type Demanded<K extends keyof Settings> = { [P in K]-?: NonNullable<Settings[P]> }

function demanded<const K extends SettingKey & keyof Settings>(settings: Settings, keys: readonly K[]): Demanded<K> {
  const missing = keys.filter((key) => settings[key] === undefined)
  if (missing.length === 0) return settings as unknown as Demanded<K>
  const names = missing.map((key) => {
    const name = envName(SETTINGS[key])
    return 'secret' in SETTINGS[key] ? `${name} (or ${name}_FILE)` : name
  })
  throw new AttestdError('setting-missing', `The ${settings.wallet} wallet needs ${names.join(', ')}.`)
}
