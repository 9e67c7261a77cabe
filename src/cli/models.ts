import { Command } from 'commander'
import type { SettingKey } from '../config/settings.js'
import { EXIT } from '../core/shutdown.js'
import { modelsCalibrateVerb } from './models-calibrate.js'
import { modelsCompareVerb } from './models-compare.js'
import { modelsEvalVerb } from './models-eval.js'
import { modelsImportVerb } from './models-import.js'
import { modelsReloadVerb } from './models-reload.js'
import { settingsOf, verbWithSettings } from './settings-flags.js'
import { table } from './table.js'

const KEYS: readonly SettingKey[] = ['modelsDir', 'detectors', 'detectorTimeoutMs', 'detectorMemoryMb']

export function modelsVerb(): Command {
  const models = new Command('models').description(
    'List, verify, swap, measure, calibrate, compare, import and admit detector packages.',
  )
  const list = verbWithSettings('list', 'List the detector packages of the models directory.', ['modelsDir'])
  const verify = verbWithSettings(
    'verify',
    "Check digests and run a real inference on each package's own sample.",
    KEYS,
  )
  models.addCommand(
    list.action(async () => {
      const { surveyModels } = await import('../app/models.js')
      const packages = await surveyModels(settingsOf(list).settings.modelsDir)
      const columns = [
        { title: 'id' },
        { title: 'version' },
        { title: 'media types' },
        { title: 'digest' },
        { title: 'title or problem', max: 90 },
      ]
      const rows = packages.map(({ id, version, mediaTypes, digest, says }) => [
        id,
        version ?? '–',
        mediaTypes.join(', ') || '–',
        digest?.slice(0, 12) ?? '–',
        says,
      ])
      process.stdout.write(`${table(columns, rows)}\n`)
      process.exitCode = packages.every(({ version }) => version !== null) ? EXIT.ok : EXIT.failed
    }),
  )
  models.addCommand(
    verify.action(async () => {
      const { verifyModels } = await import('../app/models.js')
      for (const { id, version, elapsedMs } of await verifyModels(settingsOf(verify).settings)) {
        process.stdout.write(
          `✓ ${id}@${version}: digests match, its own sample gave its stated risk (start and inference ${elapsedMs} ms)\n`,
        )
      }
    }),
  )
  models.addCommand(modelsReloadVerb())
  models.addCommand(modelsEvalVerb())
  models.addCommand(modelsCalibrateVerb())
  models.addCommand(modelsCompareVerb())
  models.addCommand(modelsImportVerb())
  return models
}
