import type { Command } from 'commander'
import { EXIT } from '../../core/shutdown.js'
import { settingsOf, verbWithSettings } from '../flags/settings-flags.js'
import { printFound } from '../terminal/print.js'
import { table } from '../terminal/table.js'
import { partText } from './part-text.js'

/** `attestd models list`. */
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
    const columns = [
      { title: 'id', min: 16 },
      { title: 'version', drop: 1 },
      { title: 'media types', drop: 2 },
      { title: 'part' },
      { title: 'digest', drop: 3 },
      { title: 'title or problem', max: 90, min: 24 },
    ]
    const rows = packages.map(({ id, version, mediaTypes, part, digest, summary }) => [
      id,
      version ?? '–',
      mediaTypes.join(', ') || '–',
      part === null ? 'not in use' : partText(part),
      digest?.slice(0, 12) ?? '–',
      summary,
    ])
    printFound(json, { chosenBy, packages }, () => [
      ...table(columns, rows).split('\n'),
      chosenBy,
      ...unlistedIn(packages),
      ...weightsLines(packages),
    ])
    process.exitCode = packages.every(({ version }) => version !== null) ? EXIT.ok : EXIT.failed
  })
}
