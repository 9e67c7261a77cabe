import path from 'node:path'
import type { Command } from 'commander'
import { AttestdError } from '../../core/errors.js'
import { EXIT } from '../../core/shutdown.js'
import { agreementText, agrees } from '../../lab/import/agreement.js'
import { fileArgument } from '../flags/files.js'
import { numberFlag } from '../flags/numbers.js'
import { settingsOf, verbWithSettings } from '../flags/settings-flags.js'
import { printLines } from '../terminal/print.js'
import { collected, withStop } from './lab-flags.js'

interface ImportFlags {
  readonly id?: string
  readonly fakeLabel?: string[]
  readonly out?: string
  readonly model?: string
  readonly languages: string
  readonly windowSeconds?: string
  readonly check?: string
}

export function modelsImportVerb(): Command {
  const verb = verbWithSettings(
    'import',
    'Make a package from a Hugging Face image, audio or text classifier that was exported for ONNX.',
    ['modelsDir', 'detectorTimeoutMs', 'detectorMemoryMb', 'ffmpeg'],
  )
    .argument('<folder>', 'the export: config.json, model.onnx or onnx/model.onnx, preprocessor or tokenizer files')
    .option('--id <id>', 'name of the package (default: that of the folder)')
    .option(
      '--fake-label <label>',
      'a label that means fake, where its words do not show it; may be repeated',
      collected,
    )
    .option('--out <folder>', 'models directory to write to (default: that of the settings)')
    .option('--model <file>', 'weights inside the export, where they are not at the usual place')
    .option('--languages <codes>', 'languages of a text model, ISO 639-1, comma-separated', 'en')
    .option(
      '--window-seconds <seconds>',
      'length of the clips that an audio model was trained on (default: the length of each recording)',
    )
    .option(
      '--check <folder>',
      'media files, and logits.json with what the original returns for each: compares, writes the difference into the card, and exits with 1 if a logit differs by over 0.5 or a file is refused',
    )
  return verb.action(async (folder: string, flags: ImportFlags) => {
    const { importModel } = await import('../../app/lab/import-model.js')
    const options = {
      folder: await fileArgument('<folder>', folder, 'folder'),
      id: idFlag(flags.id),
      fakeLabels: flags.fakeLabel ?? null,
      out: flags.out === undefined ? null : path.resolve(flags.out),
      model: flags.model ?? null,
      languages: languagesFlag(flags.languages),
      check: flags.check === undefined ? null : await fileArgument('--check', flags.check, 'folder'),
      windowSeconds: numberFlag('--window-seconds', flags.windowSeconds, 0.1, 600),
    }
    const { origins, settings } = settingsOf(verb)
    const made = await withStop((signal) => importModel(settings, options, signal))
    const { manifest, classes, guesses, agreement } = made
    // Found without --models-dir.
    const isFoundById = flags.out === undefined && origins.modelsDir !== '--models-dir'
    const named = isFoundById ? manifest.id : made.folder
    const fake = classes.fake.map((index) => classes.labels[index])
    printLines([
      `Written: ${made.folder}`,
      `  scores ${manifest.mediaTypes.join(', ')}; machine-made is ${fake.join(', ')}, of the labels ${classes.labels.join(', ')}`,
      `  its own sample has a risk of ${manifest.selfTest.risk} here`,
      ...(agreement === null ? [] : agreementText(agreement)),
      ...guesses.map((guess) => `assumed: ${guess}`),
      'Its accuracy is not known yet. Next:',
      `  npx attestd models eval ${named} --data INDEX`,
      `  npx attestd models calibrate ${named} --data INDEX --write`,
    ])
    process.exitCode = agreement === null || agrees(agreement) ? EXIT.ok : EXIT.failed
  })
}

/** The id that a manifest takes; null where none was given. */
function idFlag(id: string | undefined): string | null {
  if (id === undefined || /^[a-z0-9][a-z0-9._-]{0,63}$/.test(id)) return id ?? null
  const like = id.toLowerCase().replaceAll(/[^a-z0-9._-]+/g, '-')
  throw new AttestdError(
    'argument-invalid',
    `--id takes a-z, 0-9, ., _ and -, such as ${JSON.stringify(like)}, got ${JSON.stringify(id)}.`,
  )
}

function languagesFlag(text: string): string[] {
  const codes = text.split(',').map((code) => code.trim())
  const wrong = codes.find((code) => !/^[a-z]{2,3}$/.test(code))
  if (wrong === undefined) return codes
  throw new AttestdError(
    'argument-invalid',
    `--languages takes ISO 639-1 codes such as en,de, got ${JSON.stringify(wrong)}.`,
  )
}
