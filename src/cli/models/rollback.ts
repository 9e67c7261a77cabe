import type { Command } from 'commander'
import { settingsOf, verbWithSettings } from '../flags/settings-flags.js'
import { printOrder } from './order-text.js'

export function modelsRollbackVerb(): Command {
  const verb = verbWithSettings(
    'rollback',
    'Make all daemons on the queue return to the detectors of before the last models reload --detectors.',
    ['dataDir'],
  )
  verb.option('--json', 'JSON instead of a table')
  return verb.action(async ({ json }: { readonly json?: boolean }) => {
    const { rollBackFleet } = await import('../../app/verbs/order-detectors.js')
    printOrder(json, await rollBackFleet(settingsOf(verb).settings.dataDir))
  })
}
