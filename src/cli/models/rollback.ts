import type { Command } from 'commander'
import { EXIT } from '../../core/shutdown.js'
import { settingsOf, verbWithSettings } from '../flags/settings-flags.js'
import { printLines } from '../terminal/print.js'
import { orderLines } from './order-text.js'

/** `attestd models rollback`. */
export function modelsRollbackVerb(): Command {
  const verb = verbWithSettings(
    'rollback',
    'Have all daemons on the queue go back to the detectors that were chosen before the last models reload --detectors.',
    ['dataDir'],
  )
  return verb.action(async () => {
    const { rollBackFleet } = await import('../../app/verbs/order-detectors.js')
    const answer = await rollBackFleet(settingsOf(verb).settings.dataDir)
    printLines(orderLines(answer))
    process.exitCode = answer.daemons.every(({ outcome }) => outcome === 'done') ? EXIT.ok : EXIT.failed
  })
}
