import { Command } from 'commander'
import { modelsAdmitVerb } from './admit.js'
import { modelsCalibrateVerb } from './calibrate.js'
import { modelsCanaryVerb } from './canary.js'
import { modelsCompareVerb } from './compare.js'
import { modelsEvalVerb } from './eval.js'
import { modelsImportVerb } from './import.js'
import { modelsListVerb } from './list.js'
import { modelsReloadVerb } from './reload.js'
import { modelsRollbackVerb } from './rollback.js'
import { modelsSealVerb } from './seal.js'
import { modelsVerifyVerb } from './verify.js'

export function modelsVerb(): Command {
  const models = new Command('models').description(
    'List, verify, swap, measure, calibrate, compare, import, seal and admit detector packages.',
  )
  const verbs = [
    modelsListVerb(),
    modelsVerifyVerb(),
    modelsReloadVerb(),
    modelsRollbackVerb(),
    modelsCanaryVerb(),
    modelsEvalVerb(),
    modelsCalibrateVerb(),
    modelsCompareVerb(),
    modelsImportVerb(),
    modelsSealVerb(),
    modelsAdmitVerb(),
  ]
  for (const verb of verbs) models.addCommand(verb)
  return models
}
