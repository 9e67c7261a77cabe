import type { Command } from 'commander'
import type { SettingKey } from '../config/settings.js'
import { settingsOf, verbWithSettings } from './settings-flags.js'
import { table } from './table.js'

const KEYS: readonly SettingKey[] = ['modelsDir', 'detectors', 'detectorTimeoutMs', 'detectorMemoryMb', 'ffmpeg']

/** `attestd models verify`. */
export function modelsVerifyVerb(): Command {
  const verb = verbWithSettings(
    'verify',
    "Check digests, run each package's own sample, and say what time and memory it takes here.",
    KEYS,
  )
  return verb.action(async () => {
    const { verifyModels } = await import('../app/models.js')
    const columns = [
      { title: 'package' },
      { title: 'digests and sample' },
      { title: 'start', right: true },
      { title: 'inference', right: true },
      { title: 'memory', right: true },
    ]
    const rows = (await verifyModels(settingsOf(verb).settings)).map(({ id, version, startMs, medianMs, rssBytes }) => [
      `✓ ${id}@${version}`,
      'as stated',
      `${Math.round(startMs)} ms`,
      `${medianMs.toFixed(1)} ms`,
      `${Math.round(rssBytes / 1024 / 1024)} MiB`,
    ])
    process.stdout.write(`${table(columns, rows)}\n`)
  })
}
