import type { Command } from 'commander'
import { SCORING_KEYS, settingsOf, verbWithSettings } from '../flags/settings-flags.js'
import { printFound } from '../terminal/print.js'
import { table } from '../terminal/table.js'

export function modelsVerifyVerb(): Command {
  const verb = verbWithSettings(
    'verify',
    "Check digests, run each package's own sample, and report the time and memory it takes here.",
    SCORING_KEYS,
  )
  verb.option('--json', 'JSON instead of a table')
  return verb.action(async ({ json }: { readonly json?: boolean }) => {
    const { verifyModels } = await import('../../app/verbs/models.js')
    const packages = await verifyModels(settingsOf(verb).settings)
    printFound(json, packages, () =>
      table(packages, [
        { title: 'package', min: 16, of: ({ id, version }) => `✓ ${id}@${version}` },
        { title: 'digests and sample', drop: 1, of: () => 'as stated' },
        { title: 'start', right: true, of: ({ startMs }) => `${Math.round(startMs)} ms` },
        { title: 'inference', right: true, of: ({ medianMs }) => `${medianMs.toFixed(1)} ms` },
        { title: 'memory', right: true, of: ({ rssBytes }) => `${Math.round(rssBytes / 1024 / 1024)} MiB` },
      ]),
    )
  })
}
