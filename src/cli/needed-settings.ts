import type { SettingKey, Settings } from '../config/settings.js'

/** What register cannot work without. */
export function neededToRegister(_settings: Partial<Settings>): readonly SettingKey[] {
  return ['serviceUrl', 'accessKey', 'signingSecret']
}

/** What keys create and keys revoke cannot work without. */
export function neededForKeys(_settings: Partial<Settings>): readonly SettingKey[] {
  return ['serviceUrl', 'sessionToken']
}
