import { Command } from 'commander'
import { modelsAdmitVerb } from './models-admit.js'
import { modelsCalibrateVerb } from './models-calibrate.js'
import { modelsCompareVerb } from './models-compare.js'
import { modelsEvalVerb } from './models-eval.js'
import { modelsImportVerb } from './models-import.js'
import { modelsListVerb } from './models-list.js'
import { modelsReloadVerb } from './models-reload.js'
import { modelsVerifyVerb } from './models-verify.js'

/** `attestd models` and its verbs. */
export function modelsVerb(): Command {
  const models = new Command('models').description(
    'List, verify, swap, measure, calibrate, compare, import and admit detector packages.',
  )
  const verbs = [
    modelsListVerb(),
    modelsVerifyVerb(),
    modelsReloadVerb(),
    modelsEvalVerb(),
    modelsCalibrateVerb(),
    modelsCompareVerb(),
    modelsImportVerb(),
    modelsAdmitVerb(),
  ]
  for (const verb of verbs) models.addCommand(verb)
  return models
}
