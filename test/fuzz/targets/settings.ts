import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { loadSettings, SettingsError } from '../../../src/config/load.js'
import { envName } from '../../../src/config/setting.js'
import { settingRows } from '../../../src/config/settings.js'
import { packagePath } from '../../../src/core/files.js'
import { mutatedBytes } from '../mutate/bytes.js'
import type { Chance } from '../mutate/chance.js'
import { mutatedJson } from '../mutate/json.js'
import type { Target } from '../target.js'
import { judge } from '../verdict.js'

/** A value of settings that are secret; no problem that is reported may repeat it. */
const SECRET = 'fuzz-secret-5ba1c2'
const BOUNDS = { limitMs: 10_000, processorMs: 2000, secrets: () => [SECRET] }

/** The example file and the environment, changed, through the loader of the settings. */
export const settings: Target = {
  name: 'settings',
  counts: 'others',
  async open() {
    const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'attestd-fuzz-settings-'))
    const file = path.join(folder, 'attestd.yaml')
    const example = await fs.readFile(packagePath('config', 'attestd.example.yaml'), 'utf8')
    // The example is comments for the most part: half of the files have every setting written out.
    const seeds = [example, example.replaceAll(/^(\s*)# (\w+:)/gm, '$1$2')].map((text) => Buffer.from(text))
    return {
      async tryOne(chance) {
        const text = mutatedBytes(chance.pick(seeds), chance, chance.pick(seeds))
        const env = environment(chance)
        await fs.writeFile(file, text)
        const verdict = await judge(() => load(env, file), BOUNDS)
        return { input: `${text.toString('utf8')}\n# ${JSON.stringify(env)}`, ending: 'yaml', verdicts: [verdict] }
      },
      close: () => fs.rm(folder, { recursive: true }),
    }
  },
}

function load(env: Record<string, string>, file: string): void {
  try {
    loadSettings({ env, file })
  } catch (error) {
    // The message is what is printed.
    if (error instanceof SettingsError && !error.message.includes(SECRET)) throw error
    throw error instanceof SettingsError ? new Error(`repeats a secret: ${error.message}`) : error
  }
}

/** Some settings with odd values; secret ones have the secret in it, with something odd behind. */
function environment(chance: Chance): Record<string, string> {
  const some = settingRows.filter(() => chance.happens(0.1))
  return Object.fromEntries(
    some.map(([, row]) => {
      const odd = String(mutatedJson('x', chance, ['http://127.0.0.1:1', '5', 'auto', 'a,b', '[::1]:0']))
      return [envName(row), row.secret === 'whole' ? `${SECRET}${odd.slice(0, 20)}` : odd.replaceAll('\u0000', '')]
    }),
  )
}
