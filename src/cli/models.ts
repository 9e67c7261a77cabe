import { Command } from 'commander'
import type { SettingKey } from '../config/settings.js'
import { EXIT } from '../core/shutdown.js'
import { modelsAdmitVerb } from './models-admit.js'
import { modelsCalibrateVerb } from './models-calibrate.js'
import { modelsCompareVerb } from './models-compare.js'
import { modelsEvalVerb } from './models-eval.js'
import { modelsImportVerb } from './models-import.js'
import { modelsReloadVerb } from './models-reload.js'
import { settingsOf, verbWithSettings } from './settings-flags.js'
import { table } from './table.js'

const KEYS: readonly SettingKey[] = ['modelsDir', 'detectors', 'detectorTimeoutMs', 'detectorMemoryMb', 'ffmpeg']

export function modelsVerb(): Command {
  const models = new Command('models').description(
    'List, verify, swap, measure, calibrate, compare, import and admit detector packages.',
  )
  const list = verbWithSettings('list', 'List the detector packages of the models directory.', ['modelsDir'])
  const verify = verbWithSettings(
    'verify',
    "Check digests, run each package's own sample, and say what time and memory it takes here.",
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
      const columns = [
        { title: 'package' },
        { title: 'digests and sample' },
        { title: 'start', right: true },
        { title: 'inference', right: true },
        { title: 'memory', right: true },
      ]
      const rows = (await verifyModels(settingsOf(verify).settings)).map(
        ({ id, version, startMs, medianMs, rssBytes }) => [
          `✓ ${id}@${version}`,
          'as stated',
          `${Math.round(startMs)} ms`,
          `${medianMs.toFixed(1)} ms`,
          `${Math.round(rssBytes / 1024 / 1024)} MiB`,
        ],
      )
      process.stdout.write(`${table(columns, rows)}\n`)
    }),
  )
  models.addCommand(modelsReloadVerb())
  models.addCommand(modelsEvalVerb())
  models.addCommand(modelsCalibrateVerb())
  models.addCommand(modelsCompareVerb())
  models.addCommand(modelsImportVerb())
  models.addCommand(modelsAdmitVerb())
  return models
}
