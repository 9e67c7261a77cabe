import type { LoadedSettings } from './load.js'
import { envName, maskedText } from './setting.js'
import { type SettingKey, settingRows } from './settings.js'

export interface ShownSetting {
  readonly name: string
  readonly value: string
  readonly origin: string
}

const MASK = '••••••'

/** The settings in force as a person may see them: secrets masked, with where each came from. */
export function shownSettings({ settings, origins }: Pick<LoadedSettings, 'settings' | 'origins'>): ShownSetting[] {
  return settingRows.flatMap(([key, row]) => {
    const value = settings[key as SettingKey]
    if (value === undefined) return []
    const hidden = row.secret === 'whole' && origins[key] !== 'default'
    const shown = hidden ? MASK : maskedText(row, row.shown?.(value) ?? [value].flat().join(','))
    return [{ name: envName(row), value: shown, origin: origins[key] }]
  })
}
