import { type LoadedSettings, missing } from '../../config/load.js'
import { nameFix } from '../../config/setting-names.js'
import { SETTINGS, type SettingKey } from '../../config/settings.js'
import { type Diagnosis, failure } from './diagnosis.js'

/**
 * What `run` refuses to start without, variables that no setting has, which it ignores with a warning, and secrets that others on
 * this machine can read.
 * @param unset settings without a value
 */
export function diagnoseSettings(
  loaded: Pick<LoadedSettings, 'openSecretFiles' | 'unknownEnv'>,
  unset: readonly SettingKey[],
): Diagnosis[] {
  const needed = unset.map((key) => {
    const { expected, fix, setting } = missing(SETTINGS[key])
    return failure('settings', `${setting} is not set; run needs it: ${expected}  [setting-missing]`, fix)
  })
  const names = loaded.unknownEnv.map((name) =>
    failure('settings', `Unknown setting ${name} (ignored)  [setting-unknown]`, nameFix(name)),
  )
  const files = loaded.openSecretFiles.map(({ file, mode }) =>
    failure('secrets', `${file} can be read by others (mode ${mode})  [setting-invalid]`, `Run chmod 600 ${file}.`),
  )
  const found = [...needed, ...names, ...files]
  if (found.length > 0) return found
  return [{ check: 'settings', outcome: 'ok', message: 'every name is known, no secret is open to others' }]
}
