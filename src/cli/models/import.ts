import path from 'node:path'
import type { Command } from 'commander'
import { settingsOf, verbWithSettings } from '../flags/settings-flags.js'
import { printLines } from '../terminal/print.js'
import { numberFlag, withStop } from './lab-flags.js'

interface ImportFlags {
  readonly id?: string
  readonly fakeLabel?: string[]
  readonly out?: string
  readonly model?: string
  readonly languages: string
  readonly windowSeconds?: string
}

/** `attestd models import`. */
export function modelsImportVerb(): Command {
  const verb = verbWithSettings(
    'import',
    'Make a package from a Hugging Face image, audio or text classifier that was exported for ONNX.',
    ['modelsDir', 'detectorTimeoutMs', 'detectorMemoryMb', 'ffmpeg'],
  )
    .argument('<folder>', 'the export: config.json, model.onnx or onnx/model.onnx, preprocessor or tokenizer files')
    .option('--id <id>', 'name of the package (that of the folder where absent)')
    .option('--fake-label <label...>', 'labels that mean fake, where their words do not say so')
    .option('--out <folder>', 'models directory to write to (that of the settings where absent)')
    .option('--model <file>', 'weights inside the export, where they are not at the usual place')
    .option('--languages <codes>', 'languages of a text model, ISO 639-1, comma-separated', 'en')
    .option('--window-seconds <seconds>', 'length of the windows of an audio model')
  return verb.action(async (folder: string, flags: ImportFlags) => {
    const { importModel } = await import('../../app/lab/import-model.js')
    const options = {
      folder: path.resolve(folder),
      id: flags.id ?? null,
      fakeLabels: flags.fakeLabel ?? null,
      out: flags.out === undefined ? null : path.resolve(flags.out),
      model: flags.model ?? null,
      languages: flags.languages.split(',').map((code) => code.trim()),
      windowSeconds: numberFlag('--window-seconds', flags.windowSeconds, 0.1, 600),
    }
    const made = await withStop((signal) => importModel(settingsOf(verb).settings, options, signal))
    const { manifest, classes, guesses } = made
    const fake = classes.fake.map((index) => classes.labels[index])
    printLines([
      `Written: ${made.folder}`,
      `  scores ${manifest.mediaTypes.join(', ')}; fake: ${fake.join(', ')}, of ${classes.labels.join(', ')}`,
      `  its own sample has a risk of ${manifest.selfTest.risk} here`,
      ...guesses.map((guess) => `assumed: ${guess}`),
      'Its accuracy is not known yet. Next:',
      `  npx attestd models eval ${manifest.id} --data INDEX`,
      `  npx attestd models calibrate ${manifest.id} --data INDEX --write`,
    ])
  })
}
