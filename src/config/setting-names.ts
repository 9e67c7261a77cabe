import { envName } from './setting.js'
import { settingRows } from './settings.js'

export const ENV_PREFIX = 'ATTESTD_'
const NAMES = [
  `${ENV_PREFIX}CONFIG`,
  ...settingRows.flatMap(([, row]) => (row.secret ? [envName(row), `${envName(row)}_FILE`] : [envName(row)])),
]
/** Names in the settings file, such as `service.url`. */
export const PATHS = settingRows.flatMap(([, row]) => (row.secret ? [row.path, `${row.path}File`] : [row.path]))

/** Most letters in which a name is taken for a misspelling of another. */
const MISSPELLED = 3

/** ATTESTD_* names in an environment that no setting has. */
export const unknownNames = (env: Readonly<Record<string, string | undefined>>): string[] =>
  Object.keys(env).filter((name) => name.startsWith(ENV_PREFIX) && !NAMES.includes(name))

/** What to do about a name in the environment that no setting has. */
export const nameFix = (name: string) => fixOf(nearest(name, NAMES), 'Unset it, or find')

/** The same of a name in the settings file. */
export const pathFix = (path: string) => fixOf(nearest(path, PATHS), 'Remove it, or find')

const fixOf = (meant: string | null, otherwise: string) =>
  meant ? `Did you mean ${meant}?` : `${otherwise} its name in config/SETTINGS.md.`

/** The name that was probably meant; null where none is close. */
function nearest(name: string, known: readonly string[]): string | null {
  const ranked = known.map((one) => ({ one, steps: distance(name, one) })).sort((a, b) => a.steps - b.steps)
  return ranked[0] && ranked[0].steps <= MISSPELLED ? ranked[0].one : null
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
