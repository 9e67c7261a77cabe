import fs from 'node:fs'
import path from 'node:path'
import { loadSettings, type SettingProblem, type SettingSources, SettingsError } from '../../src/config/load.js'
import { folderForAll } from '../support/temporary-folder.js'

/** A folder for the files of settings that a test file writes. */
export function settingsFiles() {
  const folder = folderForAll()
  const file = (name: string, content: string, mode = 0o600): string => {
    const where = path.join(folder, name)
    fs.writeFileSync(where, content)
    fs.chmodSync(where, mode)
    return where
  }
  return { folder, file }
}

/** Empty where the settings were accepted. */
export function problemsOf(sources: SettingSources): readonly SettingProblem[] {
  try {
    loadSettings(sources)
  } catch (error) {
    if (error instanceof SettingsError) return error.problems
    throw error
  }
  return []
}
