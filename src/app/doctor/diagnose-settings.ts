import type { LoadedSettings } from '../../config/load.js'
import { envName } from '../../config/setting.js'
import { settingRows } from '../../config/settings.js'
import { type Diagnosis, failure } from './diagnosis.js'

/** Most letters in which a name is taken for a slip of the pen of another. */
const SLIP = 3

/** Variables that no setting has, which `run` ignores with a warning, and secrets that others on this machine can read. */
export function diagnoseSettings(loaded: Pick<LoadedSettings, 'openSecretFiles' | 'unknownEnv'>): Diagnosis[] {
  const names = loaded.unknownEnv.map((name) => {
    const meant = nearest(name)
    const fix = meant ? `Did you mean ${meant}?` : 'Unset it, or find its name in config/SETTINGS.md.'
    return failure('settings', `Unknown setting ${name} (ignored)  [setting-unknown]`, fix)
  })
  const files = loaded.openSecretFiles.map(({ file, mode }) =>
    failure('secrets', `${file} can be read by others (mode ${mode})  [setting-invalid]`, `Run chmod 600 ${file}.`),
  )
  const fine: Diagnosis = {
    check: 'settings',
    outcome: 'ok',
    message: 'every name is known, no secret is open to others',
  }
  return names.length + files.length > 0 ? [...names, ...files] : [fine]
}

function nearest(name: string): string | null {
  const known = settingRows.flatMap(([, row]) => (row.secret ? [envName(row), `${envName(row)}_FILE`] : [envName(row)]))
  const ranked = known.map((one) => ({ one, steps: distance(name, one) })).sort((a, b) => a.steps - b.steps)
  return ranked[0] && ranked[0].steps <= SLIP ? ranked[0].one : null
}

/** Letters to insert, remove or replace (Levenshtein). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1]
    for (const [j, other] of [...b].entries()) {
      next.push(Math.min(row[j + 1]! + 1, next[j]! + 1, row[j]! + (letter === other ? 0 : 1)))
    }
    row = next
  }
  return row.at(-1)!
}
