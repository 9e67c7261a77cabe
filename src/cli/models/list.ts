import type { Command } from 'commander'
import { EXIT } from '../../core/shutdown.js'
import { shortDigest } from '../../core/text.js'
import { settingsOf, verbWithSettings } from '../flags/settings-flags.js'
import { printFound } from '../terminal/print.js'
import { table } from '../terminal/table.js'
import { partText } from './part-text.js'

export function modelsListVerb(): Command {
  const verb = verbWithSettings(
    'list',
    'List the detector packages of the models directory, and the part of each: in the running daemon, else by the settings.',
    ['modelsDir', 'detectors', 'dataDir'],
  )
  verb.option('--json', 'JSON instead of a table')
  return verb.action(async ({ json }: { readonly json?: boolean }) => {
    const { partsInForce, surveyModels, unlistedIn, weightsLines } = await import('../../app/verbs/models.js')
    const { settings } = settingsOf(verb)
    const { detectors, summary: chosenBy } = await partsInForce(settings)
    const packages = await surveyModels({ ...settings, detectors })
    const listed = () =>
      table(packages, [
        { title: 'id', min: 16, of: ({ id }) => id },
        { title: 'version', drop: 1, of: ({ version }) => version ?? '–' },
        { title: 'media types', drop: 2, of: ({ mediaTypes }) => mediaTypes.join(', ') || '–' },
        { title: 'part', of: ({ part }) => (part === null ? 'not in use' : partText(part)) },
        { title: 'digest', drop: 3, of: ({ digest }) => (digest === null ? '–' : shortDigest(digest)) },
        { title: 'title or problem', max: 90, min: 24, drop: 4, of: ({ summary }) => summary },
      ])
    printFound(json, { chosenBy, packages }, () => [
      ...listed().split('\n'),
      ...packages.flatMap(({ id, version, summary }) => (version === null ? [`✗ ${id}: ${summary}`] : [])),
      chosenBy,
      ...unlistedIn(packages),
      ...weightsLines(packages),
    ])
    process.exitCode = packages.every(({ version }) => version !== null) ? EXIT.ok : EXIT.failed
  })
}
