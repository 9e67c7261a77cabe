import { Command, Option } from 'commander'
import { type LoadedSettings, loadSettings } from '../../config/load.js'
import { flagName } from '../../config/setting.js'
import { SETTINGS, type SettingKey, type Settings, settingRows } from '../../config/settings.js'

/** As init names it. */
const USUAL_FILE = 'attestd.yaml'

/** Settings of the keys and secrets have no flag: a command line is visible to every user of the machine. */
const flagKeys = settingRows.filter(([, row]) => row.secret !== 'whole').map(([key]) => key)

/** Settings of the verbs that score by the selected packages without a daemon. */
export const SCORING_KEYS: readonly SettingKey[] = [
  'modelsDir',
  'detectors',
  'detectorTimeoutMs',
  'detectorMemoryMb',
  'ffmpeg',
]

/** Settings of the verbs that talk to the service without a daemon. */
export const SERVICE_KEYS: readonly SettingKey[] = [
  'serviceUrl',
  'serviceApi',
  'serviceAllowHttp',
  'headerPrefix',
  'serviceTimeoutMs',
  'wallet',
  'walletAddress',
  'walletKeystore',
  'walletTimeoutMs',
  'privyAppId',
  'privyWalletId',
  'privyUrl',
  'chainId',
]

/** A verb with `--config` and a flag for each named setting (all where none is named). */
export function verbWithSettings(name: string, description: string, keys: readonly SettingKey[] = flagKeys): Command {
  const verb = new Command(name).description(description)
  verb.option(
    '--config <file>',
    `settings file, YAML (default: ATTESTD_CONFIG, or ${USUAL_FILE} in the working directory)`,
  )
  for (const key of keys.filter((one) => flagKeys.includes(one))) {
    const row = SETTINGS[key]
    const summary = row.fallback ? `${row.summary} (default: ${row.fallback})` : row.summary
    verb.addOption(new Option(`${flagName(row)} <value>`, summary).helpGroup('Settings (see config/SETTINGS.md)'))
  }
  return verb
}

/** Settings of this run: flag > environment > file > default. @param need what the verb needs @throws SettingsError */
export function settingsOf(
  verb: Command,
  need: (settings: Partial<Settings>) => readonly SettingKey[] = () => [],
): LoadedSettings {
  // Commander names the value of a flag as its setting is named: that of `--http-port` is `httpPort`.
  const flags = verb.opts<Partial<Record<SettingKey | 'config', string>>>()
  return loadSettings({ flags, env: process.env, need, file: flags.config, usualFile: USUAL_FILE })
}
