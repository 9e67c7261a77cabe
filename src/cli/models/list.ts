import type { Command } from 'commander'
import { EXIT } from '../../core/shutdown.js'
import { settingsOf, verbWithSettings } from '../flags/settings-flags.js'
import { printText } from '../terminal/print.js'
import { table } from '../terminal/table.js'

/** `attestd models list`. */
export function modelsListVerb(): Command {
  const verb = verbWithSettings('list', 'List the detector packages of the models directory.', ['modelsDir'])
  return verb.action(async () => {
    const { surveyModels } = await import('../../app/verbs/models.js')
    const packages = await surveyModels(settingsOf(verb).settings.modelsDir)
    const columns = [
      { title: 'id' },
      { title: 'version' },
      { title: 'media types' },
      { title: 'digest' },
      { title: 'title or problem', max: 90 },
    ]
    const rows = packages.map(({ id, version, mediaTypes, digest, summary }) => [
      id,
      version ?? '–',
      mediaTypes.join(', ') || '–',
      digest?.slice(0, 12) ?? '–',
      summary,
    ])
    printText(`${table(columns, rows)}\n`)
    process.exitCode = packages.every(({ version }) => version !== null) ? EXIT.ok : EXIT.failed
  })
}
