import type { Command } from 'commander'
import { EXIT } from '../../core/shutdown.js'
import { settingsOf, verbWithSettings } from '../flags/settings-flags.js'
import { printFound } from '../terminal/print.js'
import { orderLines } from './order-text.js'

/** `attestd models rollback`. */
export function modelsRollbackVerb(): Command {
  const verb = verbWithSettings(
    'rollback',
    'Make all daemons on the queue return to the detectors of before the last models reload --detectors.',
    ['dataDir'],
  )
  verb.option('--json', 'JSON instead of a table')
  return verb.action(async ({ json }: { readonly json?: boolean }) => {
    const { rollBackFleet } = await import('../../app/verbs/order-detectors.js')
    const answer = await rollBackFleet(settingsOf(verb).settings.dataDir)
    printFound(json, answer, () => orderLines(answer))
    process.exitCode = answer.daemons.every(({ outcome }) => outcome === 'done') ? EXIT.ok : EXIT.failed
  })
}
