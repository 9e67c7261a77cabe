import type { Command } from 'commander'
import { SCORING_KEYS, settingsOf, verbWithSettings } from '../flags/settings-flags.js'
import { printFound } from '../terminal/print.js'
import { table } from '../terminal/table.js'

/** `attestd models verify`. */
export function modelsVerifyVerb(): Command {
  const verb = verbWithSettings(
    'verify',
    "Check digests, run each package's own sample, and report the time and memory it takes here.",
    SCORING_KEYS,
  )
  verb.option('--json', 'JSON instead of a table')
  return verb.action(async ({ json }: { readonly json?: boolean }) => {
    const { verifyModels } = await import('../../app/verbs/models.js')
    const columns = [
      { title: 'package', min: 16 },
      { title: 'digests and sample', drop: 1 },
      { title: 'start', right: true },
      { title: 'inference', right: true },
      { title: 'memory', right: true },
    ]
    const packages = await verifyModels(settingsOf(verb).settings)
    const rows = packages.map(({ id, version, startMs, medianMs, rssBytes }) => [
      `✓ ${id}@${version}`,
      'as stated',
      `${Math.round(startMs)} ms`,
      `${medianMs.toFixed(1)} ms`,
      `${Math.round(rssBytes / 1024 / 1024)} MiB`,
    ])
    printFound(json, packages, () => table(columns, rows))
  })
}
