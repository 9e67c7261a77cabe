import { walletSettingsNeeded } from '../../app/open/open-wallet.js'
import type { SettingKey, Settings } from '../../config/settings.js'

const KEY: readonly SettingKey[] = ['accessKey', 'signingSecret']

/** What the daemon cannot start without; a process that only analyzes never talks to the service. */
export function neededToRun(settings: Partial<Settings>): readonly SettingKey[] {
  // A person decides on the console, under a name.
  const password: readonly SettingKey[] = settings.unsurePolicy === 'review' ? ['httpPassword'] : []
  if (settings.roles?.every((role) => role === 'analyze')) return password
  if (settings.serviceApi !== 'wallet-session') return ['serviceUrl', ...KEY, ...password]
  return ['serviceUrl', ...walletSettingsNeeded(settings), 'stakeContract', ...password]
}

/** What register cannot work without. */
export const neededToRegister = (settings: Partial<Settings>) => withWalletOr(settings, KEY)

/** What keys create and keys revoke cannot work without. */
export const neededForKeys = (settings: Partial<Settings>) => withWalletOr(settings, ['sessionToken'])

const withWalletOr = (settings: Partial<Settings>, others: readonly SettingKey[]): readonly SettingKey[] => [
  'serviceUrl',
  ...(settings.serviceApi === 'wallet-session' ? walletSettingsNeeded(settings) : others),
]
